import { withoutThoughts } from '#platform/models/think-tags.ts'

/** Maximum characters of a title, without the ellipsis of one that was cut. */
const TITLE_CHARACTERS_MAX = 80
/** Maximum number of pairs of tags that are removed. */
const TAGS_MAX = 8
/** Maximum nesting depth of JSON that is searched for a title. */
const NESTING_MAX = 4

/**
 * Returns the title in a model's answer: without thoughts, tags, code fences, JSON, introductions such as "Here is a
 * title:", Markdown, quotation marks, a final period, and emoji at the ends. Returns undefined if nothing is left.
 */
export function cleanTitle(written: string): string | undefined {
  const answer = withoutThoughts(written)
  return cutTitle(bareLine(titleInJson(answer) ?? answer))
}

/** Truncates a text to a title, between words if possible. Returns undefined for a blank text. */
export function cutTitle(message: string): string | undefined {
  const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  if (line.length <= TITLE_CHARACTERS_MAX) return line || undefined
  const cut = line.slice(0, TITLE_CHARACTERS_MAX).toWellFormed()
  const space = cut.lastIndexOf(' ')
  return `${space > TITLE_CHARACTERS_MAX / 2 ? cut.slice(0, space) : cut.replace(/\uFFFD$/, '')} …`
}

/** Returns the title in an answer that is JSON, or contains it, even if it is cut off. */
function titleInJson(text: string): string | undefined {
  const begin = text.search(/[{[]/)
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  const json = begin !== -1 && end > begin ? text.slice(begin, end + 1) : undefined
  try {
    const title = json === undefined ? undefined : titleIn(JSON.parse(json))
    if (title !== undefined || json === text.trim()) return title ?? ''
  } catch {
    // Not JSON, or not quite. A field of a title still tells the title.
  }
  return /[{,]\s*["']?\w*title["']?\s*:\s*(["'])((?:(?!\1)[^\\\n])+)/i.exec(text)?.[2]
}

/** Returns the field with a title, or else the first string. */
function titleIn(value: unknown, nesting = 0): string | undefined {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object' || nesting === NESTING_MAX) return undefined
  const fields = Object.entries(value)
  const titled = fields.filter(([name]) => /title|titel|name|topic/i.test(name))
  for (const [, field] of [...titled, ...fields]) {
    const title = titleIn(field, nesting + 1)
    if (title !== undefined && title.trim() !== '') return title
  }
  return undefined
}

/** Returns the first line with a title, without what surrounds it. */
function bareLine(text: string): string {
  for (const line of withoutTags(text).split(/[\r\n]+/)) {
    if (FENCE.test(line)) continue
    const bare = bareEnds(bareEnds(line.replace(/[*`]+/g, '')).replace(INTRODUCTION, ''))
    if (bare !== '' && !ONLY_INTRODUCTION.test(bare)) return bare
  }
  return ''
}

const FENCE = /^\s*(?:`{3,}|~{3,})\s*\w*\s*$/

/** Removes pairs of tags, and single ones at the ends. Others may belong to the title, such as `Array<string>`. */
function withoutTags(text: string): string {
  let bare = text.trim()
  for (let count = 0; count < TAGS_MAX; count++) {
    const next = bare
      .replace(/<([a-z][\w-]{0,30})(?:\s[^<>]{0,100})?>([\s\S]*?)<\/\1\s*>/i, '$2')
      .replace(/^<[a-z][\w-]{0,30}>|<\/[a-z][\w-]{0,30}>$/gi, '')
      .trim()
    if (next === bare) break
    bare = next
  }
  return bare
}

const WORD =
  '(?:a|an|the|my|your|one|suggested|proposed|possible|short|concise|good|suitable|generated|chat|conversation)'
const TITLE = '(?:title|titel|titre|título|titulo|titolo|标题|標題|タイトル|제목)'
const CONSENT = '(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|great|got it)'
const HERE =
  "(?:here(?:['’]s| is| are| you go)|this is|hier ist|voici|aquí (?:está|tienes))(?=[\\s:：])[^:：]{0,80}[:：]"
const LABEL = `(?:${WORD}\\s+)*${TITLE}(?:\\s+(?:for|of|für|pour|para)\\s[^:：]{0,80})?\\s*(?:[:：=–—]|-\\s|\\s(?:is|would be|could be|might be|ist|est|es)(?:\\s*[:：]|\\s))`
/** Words before a title. */
const INTRODUCTION = new RegExp(
  `^(?:(?:${CONSENT}[\\s,.!:–—-]+)?(?:${HERE}|${LABEL})|${CONSENT}[.!:]+)?\\s*`,
  'iu',
)
/** A line without a title, such as "Sure!" or "Here is a title for this conversation". */
const ONLY_INTRODUCTION = new RegExp(
  `^(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|here you go|${TITLE}|here(?:['’]s| is) (?:${WORD}\\s+)*${TITLE}\\b.{0,80})[.!:：]?$`,
  'iu',
)

/** Quotation marks that are removed everywhere, because a pair may surround only a part of the title. */
const QUOTATION_MARKS = /["“”„‟«»]/g
/** The trade mark and copyright signs count as pictures in Unicode, but belong to names. */
const EMOJI =
  '(?:(?![©®™])\\p{Extended_Pictographic}|[\\p{Emoji_Modifier}\\p{Regional_Indicator}\\u200d\\ufe0f\\u20e3])'
const BEFORE = new RegExp(`^(?:[\\s#_>'‘’‚‹›「『《【-]|${EMOJI})+`, 'u')
const AFTER = new RegExp(`(?:[\\s_'‘’‹›」』》】.。]|${EMOJI})+$`, 'u')

const bareEnds = (line: string): string =>
  line.replace(QUOTATION_MARKS, '').replace(BEFORE, '').replace(AFTER, '')

/** A paragraph, table cell, message or description, with the line on which it starts. */
interface Passage {
  readonly line: number
  readonly text: string
  /** True for a heading, which may start with a question word. */
  readonly heading?: boolean
}

export interface ProseHit {
  readonly line: number
  readonly words: string
}

const BEGINNINGS =
  /^(?:What|Whatever|Who|Whom|Whose|Whoever|Of (?:a|each|its|another)|So (?:many|long|much)|Nobody|Somebody|Where (?:it|there))\b/
/** The last ones point to texts that are not in the repository. */
const WORDS =
  /\b(?:can not|whom|parted|anew|hears? of|(?:is|are) told(?! apart)(?: of)?|(?<!times )as many as|he|him|his)\b|\((?:contract|spec)[,;]/gi
const MEANWHILE = /\bmeanwhile\b/gi

const HASH_COMMENTS = /\.(?:py|sh)$/
const MESSAGES = /(?:\/messages\/en(?:\/[^/]+)?|\/errors)\.ts$/

/** Returns all matches of forbidden patterns in the prose of a file. Ignores quotations and inline code. */
export function findProseHits(
  file: string,
  text: string,
  exempt: ReadonlySet<string> = new Set(),
): ProseHit[] {
  const passages = passagesOf(file, text).filter((passage) => !exempt.has(passage.text))
  const meanwhile = passages.flatMap((passage) => match(passage, withoutQuotes(passage.text), MEANWHILE))
  return [...passages.flatMap(hitsIn), ...meanwhile.slice(1)].sort((a, b) => a.line - b.line)
}

function hitsIn(passage: Passage): ProseHit[] {
  const text = withoutQuotes(passage.text)
  const hits = match(passage, text, WORDS)
  if (passage.heading) return hits
  for (const { 0: sentence, index } of text.matchAll(/[^\s.!?](?:[^.!?]|[.!?](?!\s|$))*[.!?]?/g)) {
    // Skips emphasis marks and brackets at the start of the sentence.
    const found = BEGINNINGS.exec(sentence.replace(/^[*_(\s]+/, ''))
    if (found && !sentence.endsWith('?')) hits.push({ line: lineAt(passage, index), words: found[0] })
  }
  return hits
}

const match = (passage: Passage, text: string, pattern: RegExp): ProseHit[] =>
  [...text.matchAll(pattern)].map(({ 0: words, index }) => ({ line: lineAt(passage, index), words }))

const lineAt = ({ line, text }: Passage, index: number): number =>
  line + (text.slice(0, index).match(/\n/g)?.length ?? 0)

/** Replaces each character of quotations and inline code with `x`, which keeps all positions. */
const withoutQuotes = (text: string): string =>
  text.replace(/`[^`]*`|"[^"]*"|“[^”]*”|„[^“]*“/g, (quote) => quote.replace(/[^\n]/g, 'x'))

function passagesOf(file: string, text: string): Passage[] {
  if (file.endsWith('.md')) return markdownPassages(text)
  if (file.endsWith('.json')) return literals(text, /"description": "((?:[^"\\]|\\.)*)"/g)
  if (!MESSAGES.test(file)) return comments(file, text)
  return [...comments(file, text), ...literals(text, /(?<![\w/])(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)]
}

const literals = (text: string, pattern: RegExp): Passage[] =>
  text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(pattern)].map((found) => ({ line: index + 1, text: found.at(-1) ?? '' })),
    )

/**
 * Collects the paragraphs of comments. A paragraph is a group of adjacent comment lines, and ends before an empty
 * line or a tag such as `@param`.
 */
function comments(file: string, text: string): Passage[] {
  let inBlock = false
  return paragraphs(text, (line) => {
    if (HASH_COMMENTS.test(file)) return /(?:^|\s)#(?!!)\s?(.*)/.exec(line)?.[1]
    if (file.endsWith('.sql')) return /(?:^|\s)--\s?(.*)/.exec(line)?.[1]
    const opens = !inBlock && /(?:^|[\s{])\/\*+(?!\/)(.*)/.exec(line)
    if (!(opens || inBlock)) return /(?:^|\s)\/\/\s(.*)/.exec(line)?.[1]
    const body = opens ? (opens[1] ?? '') : line
    inBlock = !body.includes('*/')
    return body.replace(/\*\/.*/, '').replace(/^\s*\*/, '')
  })
}

function markdownPassages(text: string): Passage[] {
  const lines = text.split('\n')
  const cells: Passage[] = []
  let inCode = false
  const prose = paragraphs(text, (line, index) => {
    const fence = /^\s*```/.test(line)
    if (fence) inCode = !inCode
    if (fence || inCode) return undefined
    if (/^#{1,6} /.test(line)) cells.push({ line: index + 1, text: line, heading: true })
    else if (line.startsWith('|')) {
      const heading = /^\|[\s:|-]+$/.test(lines[index + 1] ?? '')
      cells.push(...line.split('|').map((cell) => ({ line: index + 1, text: cell.trim(), heading })))
    } else return line
    return undefined
  })
  return [...prose, ...cells]
}

/**
 * Joins adjacent lines for which `read` returns text. An undefined or empty result ends a passage, and a list item
 * starts a new one.
 */
function paragraphs(text: string, read: (line: string, index: number) => string | undefined): Passage[] {
  const found: { line: number; text: string }[] = []
  let open = false
  for (const [index, line] of text.split('\n').entries()) {
    const body = read(line, index)?.trim()
    const item = /^(?:[-*]|\d+\.|@\w+)\s+/.exec(body ?? '')
    const rest = body?.slice(item?.[0].length ?? 0) ?? ''
    const last = found.at(-1)
    if (open && !item && rest && last) last.text += `\n${rest}`
    else if (rest) found.push({ line: index + 1, text: rest })
    open = rest !== ''
  }
  return found
}

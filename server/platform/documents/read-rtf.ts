import { readFile } from 'node:fs/promises'
import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { decoderOf, type RtfDecoder } from './rtf-encoding.ts'
import { RtfStory } from './rtf-story.ts'

/** Maximum depth of groups. Word nests up to about 50. */
const DEPTH_MAX = 1_000
/** Footnotes, headers and footers that are read. */
const STORIES_MAX = 1_000

/** A group of the file. It starts with the properties of the group around it. */
interface Group {
  isSkipped: boolean
  isHidden: boolean
  decoder: RtfDecoder
  /** Number of characters that follow each \u for readers without Unicode. */
  fallback: number
  /** Group that ends here, if its end matters. */
  kind: 'story' | 'code' | 'result' | null
  /** URL of the field that this group contains. */
  url: string
}

/** Groups that contain no text of the document. */
const SKIPPED = new Set(
  `colortbl stylesheet info pict themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl
  generator nonshppict xe tc bkmkstart bkmkend objdata objclass filetbl revtbl pgptbl mmathPr momathPr annotation atnid
  atnauthor ftnsep ftnsepc aftnsep aftnsepc fontemb panose falt sp sn sv pnseclvl wgrffmtfilter template
  xmlnstbl userprops docvar ffdeftext ffname ffhelptext ffstattext`.split(/\s+/),
)
/** Groups that are read although they are marked as unknown to old readers. */
const STARRED = new Set('shpinst shptxt fldinst moMathPara moMath mr listtext ud'.split(' '))
const MARGINS: Record<string, 'header' | 'footer'> = {
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
}
const CHARACTERS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  softline: '\n',
}
const WORD = /([a-zA-Z]{1,32})(-?\d{1,9})? ?/y
/** Without a limit, a match of millions of characters can overflow the stack. */
const PLAIN = /[^\\{}\r\n]{1,4096}/y
const NOT_A_BRACE = /[^\\{}]{1,4096}/y

/**
 * Extracts the text of an RTF (version 1.9.1) as Markdown: paragraphs, headings, tables, links and list numbers. Headers
 * come first and footers last, each once, and footnotes follow the text. Pictures, hidden and deleted text are left out.
 */
export async function readRtf(path: string, text: BoundedText): Promise<void> {
  const source = (await readFile(path)).toString('latin1')
  const body = createBoundedText()
  const reader = new RtfReader(source, body)
  reader.read()
  for (const header of reader.margins.header) text.add(`${header}\n\n`)
  text.add(body.finish().text)
  reader.notes.forEach((note, index) => {
    text.add(`${index + 1}. ${note}\n`)
  })
  if (reader.notes.length > 0) text.add('\n')
  for (const footer of reader.margins.footer) text.add(`${footer}\n\n`)
}

class RtfReader {
  readonly #source: string
  readonly #groups: [Group, ...Group[]]
  readonly #stories: [RtfStory, ...RtfStory[]]
  readonly #fonts = new Map<number, RtfDecoder>()
  readonly margins = { header: new Set<string>(), footer: new Set<string>() }
  readonly notes: string[] = []
  readonly #storyKinds: ('header' | 'footer' | 'note')[] = []
  #at = 0
  #bytes: string[] = []
  /** Characters that replace a \u character in readers without Unicode, and are still to be skipped. */
  #skipping = 0
  #isStarred = false
  #fontTable = 0
  #code = ''

  constructor(source: string, text: BoundedText) {
    this.#source = source
    this.#stories = [new RtfStory(text)]
    this.#groups = [
      { isSkipped: false, isHidden: false, decoder: decoderOf(1252), fallback: 1, kind: null, url: '' },
    ]
  }

  /** Reads the file. Throws an Error if it is no RTF or not complete. */
  read(): void {
    if (!/^\s{0,100}\{\\rtf/.test(this.#source.slice(0, 200))) throw new Error('The file is no RTF')
    this.#at = this.#source.indexOf('{')
    while (this.#at < this.#source.length && !this.#stories[0].text.isFull) {
      this.#step()
      if (this.#groups.length === 1 && this.#at > 1) break
    }
    if (this.#groups.length > 1 && !this.#stories[0].text.isFull) throw new Error('The file is not complete')
    this.#flush()
    this.#stories[0].finish()
  }

  get #group(): Group {
    return this.#groups.at(-1) as Group
  }

  get #story(): RtfStory {
    return this.#stories.at(-1) as RtfStory
  }

  #step(): void {
    const sign = this.#source[this.#at]
    if (sign === '{') {
      this.#flush()
      if (this.#groups.length > DEPTH_MAX) throw new Error('The groups are too deep')
      this.#groups.push({ ...this.#group, kind: null })
      this.#isStarred = false
      this.#at++
    } else if (sign === '}') {
      this.#flush()
      this.#closeGroup()
      this.#at++
    } else if (sign === '\\') this.#readControl()
    else this.#readPlain()
  }

  #readPlain(): void {
    const pattern = this.#group.isSkipped ? NOT_A_BRACE : PLAIN
    pattern.lastIndex = this.#at
    const [words = ''] = pattern.exec(this.#source) ?? []
    this.#at += Math.max(1, words.length)
    this.#addBytes(words)
  }

  /** Adds characters of the file's encoding, without those that replace a \u character. */
  #addBytes(characters: string): void {
    const replaced = Math.min(this.#skipping, characters.length)
    this.#skipping -= replaced
    if (!this.#group.isSkipped && characters.length > replaced) this.#bytes.push(characters.slice(replaced))
  }

  #readControl(): void {
    const next = this.#source[this.#at + 1] ?? ''
    if (next === "'") {
      const code = Number.parseInt(this.#source.slice(this.#at + 2, this.#at + 4), 16)
      this.#at += 4
      return this.#addBytes(String.fromCharCode(Number.isNaN(code) ? 0x3f : code))
    }
    WORD.lastIndex = this.#at + 1
    const found = WORD.exec(this.#source)
    if (found === null) {
      this.#at += 2
      return this.#readSymbol(next)
    }
    this.#at = WORD.lastIndex
    const [, word = '', digits] = found
    const value = digits === undefined ? null : Number(digits)
    if (word === 'bin') this.#at += Math.max(0, value ?? 0)
    else if (word === 'u' && value !== null) this.#addUnicode(value)
    else {
      this.#flush()
      if (!this.#group.isSkipped || this.#fontTable > 0) this.#apply(word, value)
    }
    this.#isStarred = false
  }

  #readSymbol(sign: string): void {
    if (sign === '*') this.#isStarred = true
    else if (sign === '~') this.#add('\u00a0')
    else if (sign === '_') this.#add('-')
    else if (sign === '\n' || sign === '\r') this.#apply('par', null)
    else if (sign === '\\' || sign === '{' || sign === '}') this.#addBytes(sign)
  }

  /** Adds a UTF-16 code unit. Negative numbers stand for the units above 32767. */
  #addUnicode(value: number): void {
    this.#add(String.fromCharCode(value & 0xffff))
    this.#skipping = this.#group.fallback
  }

  #add(words: string): void {
    this.#flush()
    if (this.#group.kind === 'code') this.#code += words
    else if (!this.#group.isSkipped && !this.#group.isHidden) this.#story.line += words
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const bytes = Buffer.from(this.#bytes.join(''), 'latin1')
    this.#bytes = []
    this.#add(this.#group.decoder.decode(bytes))
  }

  #apply(word: string, value: number | null): void {
    this.#skipping = 0
    const group = this.#group
    const character = CHARACTERS[word]
    if (character !== undefined) return this.#add(character)
    if (this.#openDestination(word, group)) return
    switch (word) {
      case 'ansicpg':
        group.decoder = decoderOf(value ?? 1252)
        return
      case 'mac':
        group.decoder = decoderOf(10_000)
        return
      case 'uc':
        group.fallback = Math.min(Math.max(value ?? 1, 0), 8)
        return
      case 'v':
      case 'deleted':
        group.isHidden = value !== 0
        return
      case 'plain':
        group.isHidden = false
        return
      case 'f':
        if (this.#fontTable > 0) this.#fontTable = (value ?? 0) + 1
        else group.decoder = this.#fonts.get(value ?? 0) ?? group.decoder
        return
      case 'fcharset':
        if (this.#fontTable > 0)
          this.#fonts.set(this.#fontTable - 1, decoderOf(CHARSETS[value ?? 0] ?? 0, group.decoder))
        return
      default:
        this.#story.apply(word, value)
    }
  }

  /** Handles a word that gives its group a purpose. */
  #openDestination(word: string, group: Group): boolean {
    if (word === 'fonttbl') {
      group.isSkipped = true
      this.#fontTable = 1
      return true
    }
    if (word === 'fldinst') {
      group.kind = 'code'
      this.#code = ''
      return true
    }
    if (word === 'fldrslt') {
      const { url } = this.#groups.at(-2) ?? group
      group.kind = 'result'
      group.url = url
      if (url !== '') this.#story.line += '['
      return true
    }
    const margin = MARGINS[word]
    if (margin !== undefined || word === 'footnote') {
      if (this.#stories.length > 1 || this.notes.length > STORIES_MAX) group.isSkipped = true
      else {
        if (word === 'footnote') this.#story.line += `[${this.notes.length + 1}]`
        this.#stories.push(new RtfStory(createBoundedText()))
        this.#storyKinds.push(margin ?? 'note')
        group.kind = 'story'
      }
      return true
    }
    if (SKIPPED.has(word) || (this.#isStarred && !STARRED.has(word))) {
      group.isSkipped = true
      return true
    }
    // The Unicode version of the text follows a version for old readers.
    if (word === 'upr') group.isHidden = true
    if (word === 'ud') group.isHidden = false
    return word === 'upr' || word === 'ud' || STARRED.has(word)
  }

  #closeGroup(): void {
    const group = this.#groups.pop() as Group
    if (this.#groups.length === 0) throw new Error('A group is closed that is not open')
    if (this.#groups.length <= 2) this.#fontTable = 0
    this.#skipping = 0
    if (group.kind === 'code') {
      const [, quoted, bare] = /HYPERLINK\s+(?:"([^"]{1,2000})"|([^\s"\\]{1,2000}))/i.exec(this.#code) ?? []
      const url = quoted ?? bare ?? ''
      this.#group.url = /^(?:https?|mailto):/i.test(url) ? url : ''
    }
    if (group.kind === 'result' && group.url !== '') this.#story.line += `](${group.url})`
    if (group.kind !== 'story') return
    const story = this.#stories.pop() as RtfStory
    const kind = this.#storyKinds.pop() ?? 'note'
    story.finish()
    const words = story.text.finish().text.trim()
    if (kind === 'note') this.notes.push(words.replace(/\s+/g, ' '))
    else if (words !== '') this.margins[kind].add(words)
  }
}

/** Code pages of the character sets of fonts. Others, such as 0 for Latin, use the code page of the file. */
const CHARSETS: Record<number, number> = {
  77: 10_000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

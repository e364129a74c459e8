import { BlockWriter } from './block-writer.ts'
import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { LEVELS_MAX, ListCounter } from './numbering.ts'
import { type OdfStyles, OUTLINE } from './odf-styles.ts'
import type { XmlAttributes, XmlHandler } from './xml.ts'

/** A text that is written on its own: the body, a text box, a note, a slide or a header. */
interface Story {
  kind: 'body' | 'box' | 'note' | 'slide' | 'notes' | 'margin'
  text: BoundedText
  blocks: BlockWriter
  line: string
  /** Text boxes in the current paragraph. They follow it. */
  anchored: string[]
  /** Heading level of the current paragraph. Null if it is no heading. */
  heading: number | null
  lists: List[]
  /** Number of the current item, until its first paragraph. */
  mark: string | null
  /** For each open table, the rows that a cell continues into, by column. */
  tables: { covered: Map<number, number>; column: number }[]
}

interface List {
  style: string
  counter: ListCounter
}

const newStory = (kind: Story['kind'], text: BoundedText): Story => ({
  kind,
  text,
  blocks: new BlockWriter(text),
  line: '',
  anchored: [],
  heading: null,
  lists: [],
  mark: null,
  tables: [],
})

/** A slide's title, text and notes. */
export interface OdfSlide {
  title: string
  content: string
  notes: string
}

/** Elements without text of the document, or with deleted or hidden text. */
const SKIPPED = new Set(
  `office:annotation text:tracked-changes text:hidden-text text:hidden-paragraph text:table-of-content-source
  text:alphabetical-index-source text:bibliography-source text:note-citation office:forms presentation:footer-decl
  presentation:date-time-decl text:ruby-text svg:title office:scripts office:font-face-decls`.split(/\s+/),
)
const PAGE_NUMBERS = new Set(['text:page-number', 'text:page-count'])
const SPACES_MAX = 100
const COLUMNS_MAX = 100

/** Writes the text of an OpenDocument file (ODF 1.3) as Markdown. Reads styles.xml for its headers and footers, too. */
export class OdfText implements XmlHandler {
  readonly #styles: OdfStyles
  readonly #formulas: Map<string, string>
  readonly #stories: [Story, ...Story[]]
  readonly #links: { url: string; from: number }[] = []
  readonly #counters = new Map<string, ListCounter>()
  readonly notes: string[] = []
  readonly slides: OdfSlide[] = []
  readonly margins = { header: new Set<string>(), footer: new Set<string>() }
  readonly #spans: boolean[] = []
  readonly #classes: string[] = []
  #skipped = 0
  #isDescription = false

  constructor(text: BoundedText, styles: OdfStyles, formulas: Map<string, string>) {
    this.#styles = styles
    this.#formulas = formulas
    this.#stories = [newStory('body', text)]
  }

  get isDone(): boolean {
    return this.#stories[0].text.isFull
  }

  get #story(): Story {
    return this.#stories.at(-1) as Story
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || this.#isSkipped(name)) {
      this.#skipped++
      return
    }
    this.#styles.open(name, attributes)
    if (this.#openStory(name, attributes) || this.#openTable(name, attributes)) return
    this.#openText(name, attributes)
  }

  #isSkipped(name: string): boolean {
    return (
      SKIPPED.has(name) || (PAGE_NUMBERS.has(name) && this.#stories.some(({ kind }) => kind === 'margin'))
    )
  }

  #openStory(name: string, attributes: XmlAttributes): boolean {
    switch (name) {
      case 'draw:page':
        this.slides.push({ title: '', content: '', notes: '' })
        this.#stories.push(newStory('slide', createBoundedText()))
        return true
      case 'presentation:notes':
        this.#stories.push(newStory('notes', createBoundedText()))
        return true
      case 'draw:frame':
      case 'draw:custom-shape':
        this.#classes.push(attributes.get('presentation:class') ?? '')
        return true
      case 'draw:text-box':
        // The frames of a slide are its text. In a paragraph, a text box follows the paragraph.
        if (this.slides.length === 0) this.#stories.push(newStory('box', createBoundedText()))
        return true
      case 'text:note-body':
        this.#stories.push(newStory('note', createBoundedText()))
        return true
      case 'style:header':
      case 'style:header-left':
      case 'style:header-first':
      case 'style:footer':
      case 'style:footer-left':
      case 'style:footer-first':
        this.#stories.push(newStory('margin', createBoundedText()))
        return true
    }
    return false
  }

  #openTable(name: string, attributes: XmlAttributes): boolean {
    const story = this.#story
    const table = story.tables.at(-1)
    switch (name) {
      case 'table:table':
        story.tables.push({ covered: new Map(), column: 0 })
        story.blocks.endLists()
        story.blocks.writer.open('table', () => '')
        return true
      case 'table:table-row':
        if (table !== undefined) table.column = 0
        return true
      case 'table:table-cell':
      case 'table:covered-table-cell': {
        if (table === undefined) return true
        const repeated = Math.min(Number(attributes.get('table:number-columns-repeated')) || 1, COLUMNS_MAX)
        const rows = Number(attributes.get('table:number-rows-spanned')) || 1
        const columns = Math.min(Number(attributes.get('table:number-columns-spanned')) || 1, COLUMNS_MAX)
        for (let left = repeated; left > 0; left--) {
          const covered = name === 'table:covered-table-cell' ? (table.covered.get(table.column) ?? 0) : 0
          if (rows > 1)
            for (let next = 0; next < columns; next++) table.covered.set(table.column + next, rows - 1)
          else if (covered > 0) table.covered.set(table.column, covered - 1)
          table.column++
          story.blocks.writer.addCell({ columns: 1, isContinued: covered > 0 })
          if (left > 1) story.blocks.writer.close('td')
        }
        return true
      }
    }
    return false
  }

  #openText(name: string, attributes: XmlAttributes): void {
    const story = this.#story
    switch (name) {
      case 'text:h':
        story.heading = Number(attributes.get('text:outline-level')) || 1
        if (attributes.get('text:is-list-header') !== 'true') this.#numberHeading(story.heading)
        break
      case 'text:p':
        story.heading = null
        break
      case 'text:span':
        break
      case 'text:list':
        return this.#openList(attributes)
      case 'text:list-item':
        return this.#openItem(attributes)
      case 'text:s':
        return this.#say(' '.repeat(Math.min(Number(attributes.get('text:c')) || 1, SPACES_MAX)))
      case 'text:tab':
        return this.#say('\t')
      case 'text:line-break':
        return this.#say('\n')
      case 'text:note':
        return this.#say(`[${this.notes.length + 1}]`)
      case 'text:a':
        this.#links.push({ url: attributes.get('xlink:href') ?? '', from: story.line.length })
        return
      case 'draw:object': {
        const formula = this.#formulas.get((attributes.get('xlink:href') ?? '').replace(/^\.\//, ''))
        if (formula === undefined) return
        if (formula.includes('\n')) story.anchored.push(formula)
        else this.#say(` ${formula} `)
        return
      }
      case 'svg:desc':
        this.#isDescription = true
        return
      default:
        return
    }
    this.#spans.push(this.#styles.hidden.has(attributes.get('text:style-name') ?? ''))
  }

  #numberHeading(level: number): void {
    const levels = this.#styles.lists.get(OUTLINE)
    if (levels === undefined || this.#story.kind !== 'body') return
    const counter = this.#counters.get(OUTLINE) ?? new ListCounter()
    this.#counters.set(OUTLINE, counter)
    const mark = counter.next(levels, level - 1)
    if (mark !== '') this.#story.line = `${mark} `
  }

  #openList(attributes: XmlAttributes): void {
    const { lists } = this.#story
    const style = attributes.get('text:style-name') ?? lists.at(-1)?.style ?? ''
    const continues =
      attributes.get('text:continue-numbering') === 'true' ||
      attributes.get('text:continue-list') !== undefined
    const known = lists.at(-1)?.counter ?? (continues ? this.#counters.get(style) : undefined)
    const counter = known ?? new ListCounter()
    this.#counters.set(style, counter)
    lists.push({ style, counter })
  }

  #openItem(attributes: XmlAttributes): void {
    const { lists } = this.#story
    const list = lists.at(-1)
    if (list === undefined) return
    const levels = this.#styles.lists.get(list.style) ?? []
    const depth = Math.min(lists.length, LEVELS_MAX) - 1
    const start = Number(attributes.get('text:start-value'))
    if (Number.isInteger(start) && start > 0) list.counter.restart(depth, start)
    const mark = list.counter.next(levels, depth)
    this.#story.mark = mark === '' ? '-' : mark
  }

  text(words: string): void {
    if (this.#skipped > 0) return
    if (this.#isDescription) return this.#say(words)
    // Text outside of a paragraph is white space, or data of a style.
    if (this.#spans.length > 0) this.#say(words.replace(/[\n\r\t]+/g, ' '))
  }

  #say(words: string): void {
    if (!this.#spans.includes(true)) this.#story.line += words
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    this.#styles.close(name)
    const story = this.#story
    switch (name) {
      case 'text:span':
        this.#spans.pop()
        return
      case 'text:p':
      case 'text:h':
        this.#spans.pop()
        return this.#closeParagraph()
      case 'text:a':
        return this.#closeLink()
      case 'text:list':
        story.lists.pop()
        return
      case 'table:table-cell':
      case 'table:covered-table-cell':
        return story.blocks.writer.close('td')
      case 'table:table-row':
        return story.blocks.writer.close('tr')
      case 'table:table':
        story.tables.pop()
        return story.blocks.writer.close('table')
      case 'draw:frame':
      case 'draw:custom-shape':
        this.#classes.pop()
        return
      case 'svg:desc':
        this.#isDescription = false
        if (this.slides.length > 0) this.#closeParagraph()
        return
      default:
        this.#closeStory(name)
    }
  }

  #closeStory(name: string): void {
    const slide = this.slides.at(-1)
    const isMargin = /^style:(?:header|footer)(?:-left|-first)?$/.test(name)
    const isBox = name === 'draw:text-box' && this.#story.kind === 'box'
    if (!isMargin && !isBox && !/^(?:draw:page|presentation:notes|text:note-body)$/.test(name)) return
    const words = this.#endStory()
    if (isBox) this.#story.anchored.push(words)
    else if (name === 'text:note-body') this.notes.push(words.replace(/\s+/g, ' '))
    else if (name === 'draw:page' && slide !== undefined) slide.content = words
    else if (name === 'presentation:notes' && slide !== undefined) slide.notes = words
    else if (isMargin && words !== '')
      this.margins[name.startsWith('style:header') ? 'header' : 'footer'].add(words)
  }

  #endStory(): string {
    if (this.#stories.length === 1) return ''
    const story = this.#stories.pop() as Story
    story.blocks.finish()
    return story.text.finish().text.trim()
  }

  #closeParagraph(): void {
    const story = this.#story
    const { blocks, line, heading, mark, anchored, lists } = story
    story.line = ''
    story.mark = null
    story.heading = null
    story.anchored = []
    const slide = this.slides.at(-1)
    if (story.kind === 'slide' && slide !== undefined && this.#classes.at(-1) === 'title')
      slide.title = `${slide.title} ${line.replace(/\s+/g, ' ')}`.trim()
    else if (line.trim() !== '') {
      const depth = Math.max(0, lists.length - 1)
      blocks.add({ words: line, heading, mark: mark ?? '', depth, list: lists[0]?.style ?? '' })
    }
    for (const box of anchored) blocks.addBlock(box)
  }

  #closeLink(): void {
    const story = this.#story
    const { url, from } = this.#links.pop() ?? { url: '', from: 0 }
    const label = story.line.slice(from)
    if (/^(?:https?|mailto):/i.test(url) && label.trim() !== '')
      story.line = `${story.line.slice(0, from)}[${label}](${url})`
  }

  /** Writes the rest. */
  finish(): void {
    this.#stories[0].blocks.finish()
  }
}

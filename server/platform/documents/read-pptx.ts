import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { readEmbedded } from './embedded-parts.ts'
import { EquationReader } from './equations.ts'
import { MarkdownWriter } from './markdown-writer.ts'
import { mainPart, type OfficePackage, type Relation, readRelations, withPackage } from './office-package.ts'
import { requireRoot, type XmlAttributes, type XmlHandler } from './xml.ts'

/**
 * Extracts the text of a PPTX as Markdown. Each slide is a section with its title, the texts and tables of its shapes,
 * the values of its charts, and its notes. Footers come last, each once. Hidden slides are included.
 */
export function readPptx(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'presentation', async (parts) => {
    const name = await mainPart(parts, 'ppt/presentation.xml')
    const slides: string[] = []
    await parts.parse(
      name,
      requireRoot('p:presentation', {
        open(element, attributes) {
          if (element === 'p:sldId') slides.push(attributes.get('r:id') ?? '')
        },
        close() {},
        text() {},
      }),
    )
    const relations = await readRelations(parts, name)
    const footers = new Set<string>()
    let number = 0
    for (const id of slides) {
      const target = relations.get(id)?.target ?? ''
      number++
      if (!parts.has(target)) continue
      await addSlide(parts, target, number, footers, text)
      if (text.isFull) return
    }
    for (const footer of footers) text.add(`${footer}\n\n`)
  })
}

async function addSlide(
  parts: OfficePackage,
  target: string,
  number: number,
  footers: Set<string>,
  text: BoundedText,
): Promise<void> {
  const relations = await readRelations(parts, target)
  const slide = new SlideReader(relations, await readEmbedded(parts, relations))
  await parts.parse(target, slide)
  for (const footer of slide.footers) footers.add(footer)
  const notes = [...relations.values()].find(({ type, target }) => type === 'notesSlide' && parts.has(target))
  const words = notes === undefined ? '' : await readNotes(parts, notes.target)
  addSection(text, { number, title: slide.title, content: slide.finish(), notes: words })
}

async function readNotes(parts: OfficePackage, target: string): Promise<string> {
  const notes = new SlideReader(await readRelations(parts, target), new Map())
  await parts.parse(target, notes)
  return notes.finish()
}

/** Writes a slide as a section. Writes nothing for an empty slide. */
export function addSection(
  text: BoundedText,
  { number, title, content, notes }: { number: number; title: string; content: string; notes: string },
): void {
  if (title + content + notes === '') return
  text.add(`## Slide ${number}${title === '' ? '' : `: ${title}`}\n\n`)
  if (content !== '') text.add(`${content}\n\n`)
  if (notes !== '') text.add(`Notes: ${notes}\n\n`)
}

/** The placeholder that a shape fills. '' is a body of text or an object. Null if the shape fills none. */
type Placeholder = string | null

const LEVEL_MAX = 8
/** Placeholders whose text is repeated on each slide, or is no text of the author. */
const OMITTED = new Set(['sldNum', 'dt', 'hdr', 'sldImg'])

/** Reads the shapes of a slide or of a page of notes. */
class SlideReader implements XmlHandler {
  readonly #relations: Map<string, Relation>
  readonly #embedded: Map<string, string>
  readonly #text = createBoundedText()
  readonly #writer = new MarkdownWriter(this.#text)
  readonly #choices: number[] = []
  readonly footers = new Set<string>()
  title = ''
  #placeholder: Placeholder = null
  #line = ''
  #level = 0
  #link: { url: string; from: number } | null = null
  #tables = 0
  #said = 0
  #skipped = 0
  #isText = false
  #equation: { reader: EquationReader; depth: number } | null = null

  constructor(relations: Map<string, Relation>, embedded: Map<string, string>) {
    this.#relations = relations
    this.#embedded = embedded
  }

  finish(): string {
    this.#writer.endLine()
    return this.#text.finish().text.trim()
  }

  open(name: string, attributes: XmlAttributes): void {
    const isChoice = name === 'mc:Choice' || name === 'mc:Fallback'
    if (this.#skipped > 0 || (isChoice && this.#said > (this.#choices.at(-1) ?? this.#said))) {
      this.#skipped++
      return
    }
    this.#isText = name === 'a:t'
    if (this.#equation !== null) {
      this.#equation.depth++
      return this.#equation.reader.open(name, attributes)
    }
    if (!this.#openShape(name, attributes)) this.#openText(name, attributes)
  }

  #openShape(name: string, attributes: XmlAttributes): boolean {
    switch (name) {
      case 'mc:AlternateContent':
        this.#choices.push(this.#said)
        return true
      case 'p:sp':
      case 'p:graphicFrame':
      case 'p:pic':
        this.#placeholder = null
        return true
      case 'p:ph': {
        const type = attributes.get('type') ?? ''
        this.#placeholder = type === 'body' || type === 'obj' || type === 'subTitle' ? '' : type
        return true
      }
      case 'p:cNvPr':
        this.#addBlock(attributes.get('descr') ?? '')
        return true
      case 'a:tbl':
        this.#tables++
        this.#writer.open('table', () => '')
        return true
      case 'a:tc':
        this.#writer.addCell({ columns: 1, isContinued: attributes.get('vMerge') === '1' })
        return true
      case 'c:chart':
      case 'dgm:relIds':
        this.#addBlock(this.#embedded.get(attributes.get('r:id') ?? attributes.get('r:dm') ?? '') ?? '')
        return true
    }
    return false
  }

  #openText(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'a:p':
        this.#line = ''
        this.#level = 0
        return
      case 'a:pPr':
        this.#level = Math.min(Number(attributes.get('lvl')) || 0, LEVEL_MAX)
        return
      case 'a:br':
        this.#line += '\n'
        return
      case 'a:hlinkClick': {
        const relation = this.#relations.get(attributes.get('r:id') ?? '')
        if (relation?.isExternal && /^(?:https?|mailto):/i.test(relation.target))
          this.#link = { url: relation.target, from: this.#line.length }
        return
      }
      case 'm:oMath':
        this.#equation = { reader: new EquationReader(), depth: 0 }
    }
  }

  text(words: string): void {
    if (this.#skipped > 0) return
    if (this.#equation !== null) return this.#equation.reader.text(words)
    if (!this.#isText) return
    this.#line += words
    this.#said++
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    this.#isText = false
    if (this.#equation !== null && this.#equation.depth > 0) {
      this.#equation.depth--
      return this.#equation.reader.close()
    }
    switch (name) {
      case 'm:oMath': {
        const tex = this.#equation?.reader.finish() ?? ''
        this.#equation = null
        this.#line += tex === '' ? '' : `$${tex}$`
        this.#said++
        return
      }
      case 'mc:AlternateContent':
        this.#choices.pop()
        return
      case 'a:r':
        return this.#closeLink()
      case 'a:p':
        return this.#closeParagraph()
      case 'a:tc':
        return this.#writer.close('td')
      case 'a:tr':
        return this.#writer.close('tr')
      case 'a:tbl':
        this.#tables--
        return this.#writer.close('table')
      case 'p:txBody':
        // A blank line between shapes.
        this.#text.add('\n')
    }
  }

  #closeLink(): void {
    const link = this.#link
    this.#link = null
    const label = link === null ? '' : this.#line.slice(link.from)
    if (link !== null && label.trim() !== '')
      this.#line = `${this.#line.slice(0, link.from)}[${label}](${link.url})`
  }

  #closeParagraph(): void {
    const words = this.#line.trim()
    this.#line = ''
    if (words === '' || (this.#placeholder !== null && OMITTED.has(this.#placeholder))) return
    if (this.#tables > 0) {
      this.#writer.say(words)
      return this.#writer.endLine()
    }
    if (this.#placeholder === 'ftr') this.footers.add(words)
    else if (this.#placeholder === 'title' || this.#placeholder === 'ctrTitle')
      this.title = `${this.title} ${words.replace(/\s+/g, ' ')}`.trim()
    else if (this.#placeholder === '')
      this.#text.add(`${'  '.repeat(this.#level)}- ${words.replaceAll('\n', ' ')}\n`)
    else this.#text.add(`${words}\n`)
  }

  #addBlock(markdown: string): void {
    if (markdown.trim() === '') return
    this.#said++
    this.#writer.addBlock(markdown)
  }
}

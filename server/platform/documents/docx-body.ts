import { type BoundedText, createBoundedText } from './bounded-text.ts'
import type { DocxContext } from './docx-context.ts'
import {
  checkMark,
  type Field,
  fieldName,
  newField,
  PAGE_FIELDS,
  readFormField,
  textOfField,
  urlOf,
} from './docx-fields.ts'
import { DocxStory, describeParagraph, newParagraph, type Paragraph } from './docx-story.ts'
import { isOn } from './docx-styles.ts'
import { EquationReader } from './equations.ts'
import { symbolOf } from './symbols.ts'
import type { XmlAttributes, XmlHandler } from './xml.ts'

/** A hyperlink or content control that is not closed yet. */
interface Span {
  url: string | null
  /** Length of the paragraph's text where the span starts. */
  from: number
  /** State of a check box that replaces the span's text. */
  isChecked: boolean | null
  isSaid: boolean
}

/** Elements that are not text: deleted content, phonetic guides, and data of other programs. */
const SKIPPED = new Set('w:del w:moveFrom w:delText w:delInstrText w:rt w:sectPr w:binData'.split(' '))
const URL_PATTERN = /^(?:https?|mailto):/i

/** Writes the content of a part of a DOCX as Markdown: the body, a header, or the notes. */
export class DocxBody implements XmlHandler {
  readonly #context: DocxContext
  readonly #stories: [DocxStory, ...DocxStory[]]
  readonly #paragraphs: Paragraph[] = []
  readonly #fields: Field[] = []
  readonly #spans: Span[] = []
  /** For each open choice between representations, the amount of text before it. */
  readonly #choices: number[] = []
  #said = 0
  #skipped = 0
  #capture: 'text' | 'code' | null = null
  /** The properties that are being read. */
  #properties: 'paragraph' | 'row' | null = null
  #isRowDeleted = false
  #inRun = false
  #isRunHidden = false
  #equation: { reader: EquationReader; depth: number } | null = null
  #isDisplayed = false
  #note = ''

  constructor(text: BoundedText, context: DocxContext) {
    this.#context = context
    this.#stories = [new DocxStory(text)]
  }

  get isDone(): boolean {
    return this.#stories[0].text.isFull
  }

  finish(): void {
    this.#stories[0].finish()
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || this.#isSkipped(name)) {
      this.#skipped++
      return
    }
    this.#capture = null
    if (this.#equation !== null) {
      this.#equation.depth++
      return this.#equation.reader.open(name, attributes)
    }
    if (this.#openBlock(name, attributes) || this.#openProperty(name, attributes)) return
    if (!this.#openField(name, attributes)) this.#openInline(name, attributes)
  }

  #isSkipped(name: string): boolean {
    if (name === 'w:del' && this.#properties === 'paragraph') {
      const paragraph = this.#paragraphs.at(-1)
      if (paragraph !== undefined) paragraph.isMarkDeleted = true
    }
    if (name === 'w:del' && this.#properties === 'row') this.#isRowDeleted = true
    if (name === 'w:tc') return this.#isRowDeleted
    // A choice that brought text is preferred to what follows it.
    if (name === 'mc:Choice' || name === 'mc:Fallback')
      return this.#said > (this.#choices.at(-1) ?? this.#said)
    return SKIPPED.has(name) || name.endsWith('Change')
  }

  #openBlock(name: string, attributes: XmlAttributes): boolean {
    switch (name) {
      case 'w:p':
        this.#story.openContent()
        this.#paragraphs.push(newParagraph())
        return true
      case 'w:tbl':
        this.#story.openTable()
        return true
      case 'w:tc':
        this.#story.openCell()
        return true
      case 'w:txbxContent':
        this.#stories.push(new DocxStory(createBoundedText()))
        return true
      case 'w:footnote':
      case 'w:endnote':
        this.#note = /separator/i.test(attributes.get('w:type') ?? '') ? '' : keyOf(name, attributes)
        this.#stories.push(new DocxStory(createBoundedText()))
        return true
      case 'w:altChunk':
        this.#story.addBlock(this.#context.embedded.get(attributes.get('r:id') ?? '') ?? '')
        return true
      case 'mc:AlternateContent':
        this.#choices.push(this.#said)
        return true
    }
    return false
  }

  /** Reads the properties of paragraphs, runs, rows and cells. */
  #openProperty(name: string, attributes: XmlAttributes): boolean {
    const isOfParagraph = this.#properties === 'paragraph'
    const paragraph = isOfParagraph ? this.#paragraphs.at(-1) : undefined
    const { cell } = this.#story
    const value = attributes.get('w:val') ?? ''
    switch (name) {
      case 'w:pPr':
        this.#properties = 'paragraph'
        break
      case 'w:trPr':
        this.#properties = 'row'
        break
      case 'w:pStyle':
      case 'w:numId':
      case 'w:ilvl':
      case 'w:outlineLvl':
        if (paragraph !== undefined) describeParagraph(paragraph, name, value)
        break
      case 'w:vanish':
        if (this.#inRun && !isOfParagraph) this.#isRunHidden = isOn(attributes)
        break
      case 'w:rStyle':
        if (this.#inRun && !isOfParagraph) this.#isRunHidden ||= this.#context.styles.isHidden(value)
        break
      case 'w:gridBefore':
        this.#story.addEmptyCells(Number(value) || 0)
        break
      case 'w:gridSpan':
        if (cell !== undefined) cell.columns = Number(value) || 1
        break
      case 'w:vMerge':
        if (cell !== undefined) cell.isContinued = value !== 'restart'
        break
      default:
        return false
    }
    return true
  }

  #openField(name: string, attributes: XmlAttributes): boolean {
    const field = this.#fields.at(-1)
    switch (name) {
      case 'w:instrText':
        this.#capture = 'code'
        return true
      case 'w:fldSimple':
        this.#fields.push(newField(attributes.get('w:instr') ?? '', 'result', this.#length))
        return true
      case 'w:fldChar':
        this.#readFieldMark(attributes.get('w:fldCharType') ?? '')
        return true
      case 'w:checkBox':
      case 'w:checked':
      case 'w:default':
      case 'w:result':
      case 'w:listEntry':
        if (field !== undefined) readFormField(field, name, attributes, isOn(attributes))
        return true
      case 'w:hyperlink':
      case 'w:sdt': {
        const url = this.#urlOf(attributes.get('r:id'))
        this.#spans.push({ url, from: this.#length, isChecked: null, isSaid: false })
        return true
      }
      case 'w14:checked': {
        const span = this.#spans.at(-1)
        if (span !== undefined) span.isChecked = isOn(attributes, 'w14:val')
        return true
      }
    }
    return false
  }

  #openInline(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'w:r':
        this.#inRun = true
        this.#isRunHidden = false
        return
      case 'w:t':
        this.#capture = 'text'
        return
      case 'w:tab':
      case 'w:ptab':
        // In the properties of a paragraph, `tab` is a tab stop.
        if (this.#properties === null) this.#say('\t')
        return
      case 'w:br':
      case 'w:cr':
        return this.#say('\n')
      case 'w:noBreakHyphen':
        return this.#say('-')
      case 'w:sym':
        return this.#say(
          symbolOf(attributes.get('w:font') ?? '', Number.parseInt(attributes.get('w:char') ?? '', 16)),
        )
      case 'w:footnoteReference':
      case 'w:endnoteReference':
        return this.#say(this.#refer(keyOf(name, attributes)))
      case 'm:oMathPara':
        this.#isDisplayed = true
        return
      case 'm:oMath':
        this.#equation = { reader: new EquationReader(), depth: 0 }
        return
      case 'wp:docPr':
        return this.#say(attributes.get('descr') ?? attributes.get('title') ?? '')
      case 'v:imagedata':
        return this.#say(attributes.get('o:title') ?? '')
      case 'v:textpath':
        return this.#say(attributes.get('string') ?? '')
      case 'c:chart':
      case 'dgm:relIds':
        this.#anchor(this.#context.embedded.get(attributes.get('r:id') ?? attributes.get('r:dm') ?? '') ?? '')
    }
  }

  text(words: string): void {
    if (this.#skipped > 0) return
    if (this.#equation !== null) return this.#equation.reader.text(words)
    if (this.#capture === 'text') return this.#say(words)
    const field = this.#fields.at(-1)
    if (this.#capture === 'code' && field?.state === 'code') field.code += words
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    this.#capture = null
    if (this.#equation !== null && this.#equation.depth > 0) {
      this.#equation.depth--
      return this.#equation.reader.close()
    }
    switch (name) {
      case 'm:oMath':
        return this.#closeEquation()
      case 'm:oMathPara':
        this.#isDisplayed = false
        return
      case 'w:pPr':
      case 'w:trPr':
        this.#properties = null
        return
      case 'w:r':
        this.#inRun = false
        this.#isRunHidden = false
        return
      case 'w:fldSimple':
        return this.#closeField()
      case 'w:hyperlink':
      case 'w:sdt': {
        const span = this.#spans.pop()
        if (span?.url != null) this.#link(span.url, span.from)
        return
      }
      case 'mc:AlternateContent':
        this.#choices.pop()
        return
      default:
        this.#closeBlock(name)
    }
  }

  #closeBlock(name: string): void {
    const { styles, numbering, notes } = this.#context
    switch (name) {
      case 'w:p':
        return this.#story.addParagraph(this.#paragraphs.pop() ?? newParagraph(), styles, numbering)
      case 'w:tc':
        return this.#story.closeCell()
      case 'w:tr':
        this.#isRowDeleted = false
        return this.#story.closeRow()
      case 'w:tbl':
        return this.#story.closeTable()
      case 'w:txbxContent':
        return this.#anchor(this.#endStory())
      case 'w:footnote':
      case 'w:endnote':
        notes.texts.set(this.#note, this.#endStory())
    }
  }

  get #story(): DocxStory {
    return this.#stories.at(-1) as DocxStory
  }

  /** Length of the current paragraph's text. */
  get #length(): number {
    return this.#paragraphs.at(-1)?.text.length ?? 0
  }

  #endStory(): string {
    const story = this.#stories.pop() as DocxStory
    story.finish()
    return story.text.finish().text.trim()
  }

  #say(words: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (words === '' || paragraph === undefined || this.#isRunHidden) return
    for (const field of this.#fields)
      if (field.state === 'code' || (this.#context.isMargin && PAGE_FIELDS.has(fieldName(field)))) return
    const span = this.#spans.findLast(({ isChecked }) => isChecked !== null)
    if (span?.isSaid === true) return
    if (span !== undefined) span.isSaid = true
    paragraph.text += span === undefined ? words : checkMark(span.isChecked === true)
    this.#said++
  }

  /** Adds a block that follows the current paragraph. */
  #anchor(markdown: string): void {
    if (markdown === '') return
    this.#said++
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph === undefined) this.#story.addBlock(markdown)
    else paragraph.anchored.push(markdown)
  }

  #readFieldMark(type: string): void {
    const field = this.#fields.at(-1)
    if (type === 'begin') this.#fields.push(newField('', 'code', this.#length))
    else if (type === 'end') this.#closeField()
    else if (type === 'separate' && field !== undefined) {
      field.state = 'result'
      field.from = this.#length
    }
  }

  #closeField(): void {
    const field = this.#fields.pop()
    if (field === undefined) return
    const hasResult = field.state === 'result' && this.#length > field.from
    if (!hasResult) return this.#say(textOfField(field))
    const url = urlOf(field)
    if (url !== null) this.#link(url, field.from)
  }

  #urlOf(relation: string | undefined): string | null {
    const found = this.#context.relations.get(relation ?? '')
    return found?.isExternal === true ? found.target : null
  }

  /** Makes a link of the text from `from` on, if it is in one paragraph. */
  #link(url: string, from: number): void {
    const paragraph = this.#paragraphs.at(-1)
    const label = paragraph?.text.slice(from) ?? ''
    const isLinked = URL_PATTERN.test(url) && label.trim() !== '' && !label.includes('](')
    if (paragraph && isLinked) paragraph.text = `${paragraph.text.slice(0, from)}[${label}](${url})`
  }

  /** Returns the mark of a note, such as `[1]`. */
  #refer(key: string): string {
    const { numbers, texts } = this.#context.notes
    if (!texts.has(key)) return ''
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return `[${number}]`
  }

  #closeEquation(): void {
    const tex = this.#equation?.reader.finish() ?? ''
    this.#equation = null
    if (tex === '') return
    const mark = this.#isDisplayed ? '$$' : '$'
    if (this.#paragraphs.length === 0) this.#story.addBlock(`${mark}${tex}${mark}`)
    else this.#say(`${mark}${tex}${mark}`)
  }
}

/** Returns the key of a note: its kind and ID. */
const keyOf = (name: string, attributes: XmlAttributes): string =>
  `${name.startsWith('w:endnote') ? 'endnote' : 'footnote'}:${attributes.get('w:id') ?? ''}`

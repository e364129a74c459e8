import type { BoundedText } from './bounded-text.ts'
import { isBlock, MarkdownWriter } from './markdown-writer.ts'

/** What is used of linkedom's nodes; its own types want those of a browser. */
export interface PageNode {
  nodeType: number
  nodeValue: string | null
  firstChild: PageNode | null
  nextSibling: PageNode | null
}

export interface PageElement extends PageNode {
  localName: string
  textContent: string
  getAttribute(name: string): string | null
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

const ELEMENT = 1
const TEXT = 3
/** Elements that say nothing to a reader, or only what a script makes of them. */
const SILENT = new Set(
  `audio button canvas datalist embed head iframe input map math noscript object script select style svg template
  textarea video`.split(/\s+/),
)
const TABLE_PARTS = new Set(['caption', 'col', 'colgroup', 'tbody', 'tfoot', 'thead', 'tr', 'td', 'th'])

/** An element whose end has not come. */
interface OpenElement {
  node: PageElement
  /** As what the writer knows it: null where it is not told of it. */
  name: string | null
}

/**
 * Writes an element of a web page, whatever it holds, as Markdown. Links are absolute, to http, https and mail
 * addresses; others are their text. A table that only lays out a page is its cells, one after another.
 */
export function pageToMarkdown(root: PageElement, base: string, text: BoundedText): void {
  const writer = new MarkdownWriter(text)
  const open: OpenElement[] = []
  const tables: boolean[] = []
  let codes = 0
  let links = 0

  const enter = (node: PageElement): boolean => {
    const name = node.localName.toLowerCase()
    if (name === 'math') writer.say(formulaOf(node))
    if (SILENT.has(name) || node.getAttribute('hidden') !== null) return false
    if (name === 'caption' && tables.at(-1) === true) return false
    if (name === 'table') tables.push(isData(node))
    if (name === 'table' && tables.at(-1) === true) sayCaption(node, writer)
    if (name === 'pre') codes++
    if (name === 'a') links++
    const known = nameFor(node, name, { isInData: tables.at(-1) === true, isInLink: links > 1, base })
    if (known !== null) writer.open(known, (attribute) => attributeOf(node, attribute, base))
    open.push({ node, name: known })
    return true
  }
  const leave = ({ node, name }: OpenElement): void => {
    if (name !== null) writer.close(name)
    if (node.localName === 'table') tables.pop()
    if (node.localName === 'pre') codes--
    if (node.localName === 'a') links--
  }

  // Not by recursion: a page may be nested as deep as it likes.
  for (let node: PageNode | null = root; node !== null && !text.isFull; ) {
    if (node.nodeType === TEXT) {
      const words = node.nodeValue ?? ''
      writer.say(codes > 0 ? words : words.replace(/\s+/g, ' '))
    }
    const isOpen: boolean = node.nodeType === ELEMENT && enter(node as PageElement)
    let next: PageNode | null = isOpen ? node.firstChild : node === root ? null : node.nextSibling
    while (next === null && open.length > 0) {
      const ended = open.pop() as OpenElement
      leave(ended)
      next = ended.node === root ? null : ended.node.nextSibling
    }
    node = next
  }
  writer.endLine()
}

/** What the writer is told of an element. */
function nameFor(
  node: PageElement,
  name: string,
  { isInData, isInLink, base }: { isInData: boolean; isInLink: boolean; base: string },
): string | null {
  if (name === 'table') return isInData ? name : 'div'
  if (TABLE_PARTS.has(name) && !isInData) return 'div'
  if (name === 'a') return !isInLink && isLink(node, base) ? name : null
  return name
}

const attributeOf = (node: PageElement, attribute: string, base: string): string => {
  const value = node.getAttribute(attribute) ?? ''
  return attribute === 'href' ? (URL.parse(value, base)?.href ?? '') : value
}

/** Whether a link leads out of its page, and is a piece of a line: only that can be a link in Markdown. */
function isLink(node: PageElement, base: string): boolean {
  const href = node.getAttribute('href') ?? ''
  if (href === '' || href.startsWith('#') || !/^(https?|mailto):/.test(attributeOf(node, 'href', base)))
    return false
  if (node.textContent.trim() === '') return false
  for (const { localName } of node.querySelectorAll('*')) if (isBlock(localName)) return false
  return true
}

/** Whether a table holds data: it has rows of several cells, and no other tables. */
const isData = (table: PageElement): boolean =>
  table.querySelector('table') === null && table.querySelector('tr > * + *') !== null

function sayCaption(table: PageElement, writer: MarkdownWriter): void {
  const caption = table.querySelector('caption')
  if (caption === null) return
  writer.open('p', () => '')
  writer.say(caption.textContent.replace(/\s+/g, ' '))
  writer.close('p')
}

/** A formula as TeX where the page has it (MathML 3, alttext), else as its characters. */
const formulaOf = (math: PageElement): string => {
  const tex = math.getAttribute('data-latex') ?? math.getAttribute('alttext') ?? ''
  return tex === '' ? math.textContent.replace(/\s+/g, ' ') : `$${tex}$`
}

import type { BoundedText } from './bounded-text.ts'
import { isBlock, MarkdownWriter } from './markdown-writer.ts'

/** The fields of linkedom's nodes that are used here. linkedom's own types require the DOM library. */
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
  closest(selector: string): PageElement | null
}

const ELEMENT = 1
const TEXT = 3
/** Elements without readable content, or whose content depends on scripts. */
const SILENT = new Set(
  `audio button canvas datalist embed head iframe input map math noscript object script select style svg template
  textarea video`.split(/\s+/),
)
const TABLE_PARTS = new Set(['caption', 'col', 'colgroup', 'tbody', 'tfoot', 'thead', 'tr', 'td', 'th'])

/** An element that is not closed yet. */
interface OpenElement {
  node: PageElement
  /** The element's name for the writer. Null if the writer skips the element. */
  name: string | null
}

/**
 * Converts an element of a web page to Markdown. Links to http, https and mailto URLs become absolute, and other
 * links become their text. The cells of a layout table become consecutive blocks.
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

  // Iterate instead of recursing, because a page may be nested arbitrarily deep.
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

/** Returns the element's name for the writer, or null to skip the element. */
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

/** Returns true if a link leads to another page and contains only inline content, as Markdown links must. */
function isLink(node: PageElement, base: string): boolean {
  const href = node.getAttribute('href') ?? ''
  if (href === '' || href.startsWith('#') || !/^(https?|mailto):/.test(attributeOf(node, 'href', base)))
    return false
  if (node.textContent.trim() === '') return false
  for (const { localName } of node.querySelectorAll('*')) if (isBlock(localName)) return false
  return true
}

/**
 * Returns true if a table contains data, rather than layout: it has rows with several cells, and no nested tables.
 */
const isData = (table: PageElement): boolean =>
  table.querySelector('table') === null && table.querySelector('tr > * + *') !== null

function sayCaption(table: PageElement, writer: MarkdownWriter): void {
  const caption = table.querySelector('caption')
  if (caption === null) return
  writer.open('p', () => '')
  writer.say(caption.textContent.replace(/\s+/g, ' '))
  writer.close('p')
}

/** Returns a formula as TeX if the page provides TeX (MathML 3, alttext), and otherwise as plain characters. */
const formulaOf = (math: PageElement): string => {
  const tex = math.getAttribute('data-latex') ?? math.getAttribute('alttext') ?? ''
  return tex === '' ? math.textContent.replace(/\s+/g, ' ') : `$${tex}$`
}

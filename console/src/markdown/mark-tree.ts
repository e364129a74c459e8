import type { ExtraProps } from 'react-markdown'
import { translator } from '../messages/index.ts'
import type { Piece } from './hits.ts'
import { isOwnImage } from './safe-address.ts'

const t = translator('markdown')

type Element = NonNullable<ExtraProps['node']>
type Content = Element['children'][number]
interface Tree {
  children: Content[]
}

/**
 * The part of a table or list that a Markdown string contains. Null if the string doesn't render inside an existing
 * table or list.
 */
export type PartOf = 'table head' | 'table' | 'list' | null

interface Marking {
  /** The number of citations. `[1]` to `[citationCount]` are citation marks. */
  citationCount: number
  part: PartOf
  /** Splits a text into pieces that match a search and pieces that don't. Null if there is no search. */
  hits: ((text: string) => Piece[]) | null
}

/** The maximum nesting depth. Deeper trees could overflow the call stack. */
const DEPTH_MAX = 100
const MARK = /\[(\d{1,3})\]/

/**
 * A rehype plugin that marks citations, display formulas and the matches of a search. If the Markdown is part of a table or list, keeps only its
 * rows or items. Throws if the tree is nested deeper than `DEPTH_MAX`.
 */
export const markTree =
  ({ citationCount, part, hits }: Marking) =>
  () =>
  (tree: Tree, file: { value: unknown }): void => {
    visit(tree, { citationCount, hits, source: String(file.value), isInLink: false, depth: 0 })
    if (part === 'list') tree.children = itemsOf(tree.children)
    else if (part !== null) tree.children = rowsOf(tree.children, part === 'table head')
  }

interface Visit extends Pick<Marking, 'citationCount' | 'hits'> {
  source: string
  isInLink: boolean
  depth: number
}

function visit(parent: Tree, visiting: Visit): void {
  if (visiting.depth > DEPTH_MAX) throw new Error('Nested too deep')
  parent.children = parent.children.flatMap((node) => {
    if (node.type === 'text')
      return markHits(
        visiting.isInLink ? [node] : markCitations(node.value, visiting.citationCount),
        visiting.hits,
      )
    if (node.type !== 'element') return node
    if (node.tagName === 'code') return markFormula(node, visiting.source)
    // An image of another server would become a link, and a link cannot contain another link. Use the image's
    // description.
    if (node.tagName === 'img' && visiting.isInLink && !isOwnImage(String(node.properties['src'] ?? '')))
      return { type: 'text', value: String(node.properties['alt'] || t('image')) }
    visit(node, {
      ...visiting,
      isInLink: visiting.isInLink || node.tagName === 'a',
      depth: visiting.depth + 1,
    })
    return node
  })
}

/** Replaces each citation mark, such as `[1]`, with a button. Ignores numbers above `count`. */
function markCitations(text: string, count: number): Content[] {
  if (count === 0 || !MARK.test(text)) return [{ type: 'text', value: text }]
  return text.split(/(\[\d{1,3}\])/).flatMap((part): Content[] => {
    const number = Number(MARK.exec(part)?.[1] ?? 0)
    if (number >= 1 && number <= count)
      return [{ type: 'element', tagName: 'button', properties: { value: String(number) }, children: [] }]
    return part === '' ? [] : [{ type: 'text', value: part }]
  })
}

/** Wraps the matches of a search in `mark` elements. */
function markHits(nodes: Content[], hits: Marking['hits']): Content[] {
  if (hits === null) return nodes
  return nodes.flatMap((node) =>
    node.type === 'text'
      ? hits(node.value).map(({ text, isHit }): Content => {
          const piece: Content = { type: 'text', value: text }
          return isHit ? element('mark', [piece]) : piece
        })
      : node,
  )
}

/** Turns `$$x$$` on a single line into a display formula. remark-math parses it as an inline formula. */
function markFormula(code: Element, source: string): Element {
  const classes = code.properties['className']
  const begin = code.position?.start.offset
  if (!Array.isArray(classes) || !classes.includes('math-inline') || begin === undefined) return code
  if (!source.startsWith('$$', begin)) return code
  return { ...code, properties: { className: ['language-math', 'math-display'] } }
}

const isElement = (node: Content): node is Element => node.type === 'element'
const element = (tagName: string, children: Content[], properties = {}): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
})

/** Returns the items of all lists in `nodes`. Wraps each element that is not a list in an item. */
const itemsOf = (nodes: Content[]): Element[] =>
  nodes
    .filter(isElement)
    .flatMap((node) =>
      node.tagName === 'ul' || node.tagName === 'ol'
        ? node.children.filter(isElement)
        : element('li', [node]),
    )

/** Returns the sections of all tables in `nodes`. Wraps each element that is not a table in a row. */
const rowsOf = (nodes: Content[], withHead: boolean): Element[] =>
  nodes
    .filter(isElement)
    .flatMap((node) =>
      node.tagName === 'table'
        ? node.children.filter(isElement)
        : element('tbody', [element('tr', [element('td', [node])])]),
    )
    .filter(({ tagName }) => withHead || tagName !== 'thead')

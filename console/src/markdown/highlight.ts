import { Late } from './late.ts'

/** A node of highlighted code: a string, or a span with classes from code.css. */
export type Highlighted =
  | { type: 'text'; value: string }
  | { type: 'span'; classes: string; children: Highlighted[] }

interface Node {
  type: string
  value?: string
  properties?: { className?: string[] }
  children?: Node[]
}

/** Maximum length of a line to highlight. For a long word, the highlighter takes quadratic time. */
const LINE_CHARACTERS_MAX = 1_000

/** Highlights code. Returns null if the language is unknown, or a line too long. */
export type Highlight = (text: string, language: string) => Highlighted[] | null

/**
 * The highlighter. It is as large as the rest of the chat screen, so it loads only when there is code to highlight.
 */
export const highlighter = new Late<Highlight>(async () => {
  const { default: rehypeHighlight } = await import('rehype-highlight')
  const transform = rehypeHighlight() as unknown as (tree: Node, file: { message(): void }) => void
  return (text, language) => {
    if (text.split('\n').some(({ length }) => length > LINE_CHARACTERS_MAX)) return null
    const code: Node & { tagName: string } = {
      type: 'element',
      tagName: 'code',
      properties: { className: [`language-${language.toLowerCase()}`] },
      children: [{ type: 'text', value: text }],
    }
    let isKnown = true
    const message = (): void => {
      isKnown = false
    }
    transform(
      { type: 'root', children: [{ type: 'element', tagName: 'pre', children: [code] } as Node] },
      { message },
    )
    return isKnown ? (code.children ?? []).map(simplified) : null
  }
})

const simplified = ({ type, value = '', properties, children = [] }: Node): Highlighted =>
  type === 'text'
    ? { type, value }
    : { type: 'span', classes: properties?.className?.join(' ') ?? '', children: children.map(simplified) }

import { Late } from './late.ts'

/** Highlighted code: text, and spans with the classes of code.css. */
export type Highlighted =
  | { type: 'text'; value: string }
  | { type: 'span'; classes: string; children: Highlighted[] }

interface Node {
  type: string
  value?: string
  properties?: { className?: string[] }
  children?: Node[]
}

/** Highlights code in a language. Returns null if it does not know the language. */
export type Highlight = (text: string, language: string) => Highlighted[] | null

/** Loaded with the first code to highlight: it is as large as the rest of the chat screen. */
export const highlighter = new Late<Highlight>(async () => {
  const { default: rehypeHighlight } = await import('rehype-highlight')
  const transform = rehypeHighlight() as unknown as (tree: Node, file: { message(): void }) => void
  return (text, language) => {
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

import { Late } from './late.ts'

/** Coloured code: texts, and spans with classes (code.css). */
export type Highlighted =
  | { type: 'text'; value: string }
  | { type: 'span'; classes: string; children: Highlighted[] }

interface Node {
  type: string
  value?: string
  properties?: { className?: string[] }
  children?: Node[]
}

/** Finds the words of code in a language; null for a language that it does not know. */
export type Highlight = (text: string, language: string) => Highlighted[] | null

/** Fetched when there is code to be coloured: it is as large as everything else of a chat together. */
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

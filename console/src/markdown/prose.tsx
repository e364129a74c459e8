import { memo, type ReactNode, useMemo } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import remend from 'remend'
import { ELEMENTS } from './elements.tsx'
import { Late, useLate } from './late.ts'
import { markTree, type PartOf } from './mark-tree.ts'
import { hasFormula, prepareProse } from './prepare-prose.ts'

type Plugins = NonNullable<React.ComponentProps<typeof ReactMarkdown>['rehypePlugins']>

/** MathML, which browsers draw by themselves: without fonts and styles of ours. */
const FORMULAS = { output: 'mathml', strict: false, trust: false, maxSize: 20, maxExpand: 500 } as const
export const formulas = new Late(async (): Promise<Plugins[number]> => {
  const { default: rehypeKatex } = await import('rehype-katex')
  return [rehypeKatex, FORMULAS]
})

const REMARK: Plugins = [[remarkGfm, { singleTilde: false }], remarkMath]
/** What is not closed yet is closed for now, but nothing is taken away or put elsewhere. */
const CLOSING = {
  linkMode: 'text-only',
  comparisonOperators: false,
  htmlTags: false,
  singleTilde: false,
} as const

/** What links and images may be is decided where they are drawn. */
const asItIs = (address: string): string => address

/**
 * A piece of Markdown as elements. Nothing of it becomes HTML on the way: tags are shown as text. While it is open its
 * formulas are shown as they were written.
 */
export const Prose = memo(
  ({
    text,
    isOpen,
    citationCount,
    part = null,
    head = '',
    definitions = '',
  }: {
    text: string
    isOpen: boolean
    citationCount: number
    part?: PartOf
    /** What the text follows upon: the head of a table. */
    head?: string
    definitions?: string
  }): ReactNode => {
    const prose = useMemo(() => prepareProse(isOpen ? remend(text, CLOSING) : text), [text, isOpen])
    const drawFormulas = useLate(formulas, !isOpen && hasFormula(prose))
    const rehype: Plugins = [markTree({ citationCount, part }), ...(drawFormulas ? [drawFormulas] : [])]
    try {
      // Called, because what it throws is caught here and nowhere else; it is a function without hooks.
      return ReactMarkdown({
        remarkPlugins: REMARK,
        rehypePlugins: rehype,
        components: ELEMENTS,
        urlTransform: asItIs,
        children: head + prose + (definitions === '' ? '' : `\n\n${definitions}`),
      })
    } catch {
      return <Unparsed text={text} part={part} />
    }
  },
)

/** What is nested too deep for anybody, as it was written. */
function Unparsed({ text, part }: { text: string; part: PartOf }): ReactNode {
  if (part === 'list') return <li>{text}</li>
  if (part === null) return <p className="my-2 wrap-anywhere whitespace-pre-wrap">{text}</p>
  return (
    <tbody>
      <tr>
        <td>{text}</td>
      </tr>
    </tbody>
  )
}

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

/** MathML, because it needs no fonts or styles of ours. */
const FORMULAS = { output: 'mathml', strict: false, trust: false, maxSize: 20, maxExpand: 500 } as const
export const formulas = new Late(async (): Promise<Plugins[number]> => {
  const { default: rehypeKatex } = await import('rehype-katex')
  return [rehypeKatex, FORMULAS]
})

const REMARK: Plugins = [[remarkGfm, { singleTilde: false }], remarkMath]
/** remend closes unfinished Markdown. These options keep it from removing or moving text. */
const CLOSING = {
  linkMode: 'text-only',
  comparisonOperators: false,
  htmlTags: false,
  singleTilde: false,
} as const

/** elements.tsx checks the addresses of links and images. */
const asItIs = (address: string): string => address

/** Renders a piece of Markdown. Tags stay text. While the piece is open, its formulas stay as written. */
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
    /** Comes before the text: the head of a table. */
    head?: string
    definitions?: string
  }): ReactNode => {
    const prose = useMemo(() => prepareProse(isOpen ? remend(text, CLOSING) : text), [text, isOpen])
    const drawFormulas = useLate(formulas, !isOpen && hasFormula(prose))
    const rehype: Plugins = [markTree({ citationCount, part }), ...(drawFormulas ? [drawFormulas] : [])]
    try {
      // Called as a function so that `catch` sees its errors. It has no hooks.
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

/** Text that is nested too deep to parse, as written. */
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

import { memo, type ReactNode, use, useMemo } from 'react'
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import remend from 'remend'
import { ELEMENTS } from './elements.tsx'
import { HitsContext } from './hits.ts'
import { Late, useLate } from './late.ts'
import { markTree, type PartOf } from './mark-tree.ts'
import { hasFormula, prepareProse } from './prepare-prose.ts'

type Plugins = NonNullable<React.ComponentProps<typeof ReactMarkdown>['rehypePlugins']>

/** MathML output requires no additional fonts or style sheets. */
const FORMULAS = { output: 'mathml', strict: false, trust: false, maxSize: 20, maxExpand: 500 } as const
export const formulas = new Late(async (): Promise<Plugins[number]> => {
  const { default: rehypeKatex } = await import('rehype-katex')
  return [rehypeKatex, FORMULAS]
})

const REMARK: Plugins = [[remarkGfm, { singleTilde: false }], remarkMath]
/** remend closes unfinished Markdown. With these options, it neither removes nor moves text. */
const CLOSING = {
  linkMode: 'text-only',
  comparisonOperators: false,
  htmlTags: false,
  singleTilde: false,
} as const

/** Disables the URL filter of react-markdown. elements.tsx checks the URLs of links and images. */
const asItIs = (address: string): string => address

/** Renders a piece of Markdown. HTML tags appear as text. While more text may follow, formulas appear as source. */
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
    /** The head of a table, which is parsed before the text. */
    head?: string
    definitions?: string
  }): ReactNode => {
    const prose = useMemo(() => prepareProse(isOpen ? remend(text, CLOSING) : text), [text, isOpen])
    const hits = use(HitsContext)
    const drawFormulas = useLate(formulas, !isOpen && hasFormula(prose))
    const rehype: Plugins = [markTree({ citationCount, part, hits }), ...(drawFormulas ? [drawFormulas] : [])]
    try {
      // Call ReactMarkdown as a function, so that this `catch` handles its errors. It uses no hooks.
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

/** Shows Markdown source that cannot be parsed, for example because it is nested too deeply. */
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

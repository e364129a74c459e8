import type { ComponentProps, ReactNode } from 'react'
import type { Components, ExtraProps } from 'react-markdown'
import { translator } from '../messages/index.ts'
import { CitationMark } from './citations.tsx'
import { CodeBlock } from './code-block.tsx'
import { isOwnImage, linkTarget } from './safe-address.ts'

const t = translator('markdown')

type Props<Name extends keyof React.JSX.IntrinsicElements> = ComponentProps<Name> & ExtraProps
type Node = NonNullable<ExtraProps['node']>

/**
 * Returns a component that renders an element with fixed classes. Drops `node`, a prop of react-markdown that is not
 * an HTML attribute.
 */
const looking = <Name extends 'p' | 'ul' | 'ol' | 'h3' | 'h4' | 'h5' | 'blockquote' | 'hr' | 'mark'>(
  name: Name,
  look: string,
) => {
  const Name = name as string as 'p'
  return ({ node: _node, className: _class, ...rest }: Props<Name>): ReactNode => (
    <Name {...(rest as object)} className={look} />
  )
}

export const LIST_LOOK = 'my-2 list-disc pl-6'
export const NUMBERED_LIST_LOOK = 'my-2 list-decimal pl-6'
const HEADING = looking('h5', 'mt-3 mb-1 font-semibold')

/**
 * The components that render Markdown elements. Headings start at h3, because the page's own headings rank above
 * them.
 */
export const ELEMENTS: Components = {
  h1: looking('h3', 'mt-5 mb-2 text-lg font-semibold'),
  h2: looking('h4', 'mt-4 mb-2 text-base font-semibold'),
  h3: HEADING,
  h4: HEADING,
  h5: HEADING,
  h6: HEADING,
  p: looking('p', 'my-2 wrap-anywhere whitespace-pre-line'),
  ul: looking('ul', LIST_LOOK),
  ol: looking('ol', NUMBERED_LIST_LOOK),
  li: Item,
  blockquote: looking('blockquote', 'my-2 border-l-4 border-line pl-3 text-muted'),
  hr: looking('hr', 'my-4 border-line'),
  table: ({ children }) => <ScrolledTable>{children}</ScrolledTable>,
  th: ({ node, style, children }) => (
    <th
      style={style}
      className={`border-b border-line bg-surface px-3 py-1.5 text-left font-semibold ${widthLook(node)}`}
    >
      {children}
    </th>
  ),
  td: ({ node, style, children }) => (
    <td style={style} className={`border-b border-line px-3 py-1.5 align-top ${widthLook(node)}`}>
      {children}
    </td>
  ),
  mark: looking('mark', 'rounded bg-warning-soft px-0.5 font-medium text-warning'),
  a: Link,
  img: Image,
  pre: Preformatted,
  code: ({ node: _node, className: _class, ...rest }) => (
    <code {...rest} className="rounded bg-surface px-1 py-0.5 font-mono text-[0.9em]" />
  ),
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked === true}
      disabled
      readOnly
      aria-label={checked ? t('taskDone') : t('taskOpen')}
    />
  ),
  button: ({ value }) => <CitationMark number={Number(value)} />,
}

/** A text of up to this length stays on one line in a table. */
const LINE_CHARACTERS = 24

/**
 * Returns the class for the width of a table's cell. Columns keep a readable width: a table that is wider than the message scrolls
 * instead of breaking each word into a line.
 */
const widthLook = (node: Node | undefined): string =>
  node && textOf(node).length <= LINE_CHARACTERS ? 'whitespace-nowrap' : 'min-w-40'

/** A table that scrolls horizontally if it is wider than the page. */
export const ScrolledTable = ({ children }: { children: ReactNode }): ReactNode => (
  <div
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too
    tabIndex={0}
    role="group"
    aria-label={t('table')}
    className="my-3 overflow-x-auto rounded-lg border border-line"
  >
    <table className="w-full border-collapse text-sm">{children}</table>
  </div>
)

function Item({ node: _node, className = '', ...rest }: Props<'li'>): ReactNode {
  const isTask = className.includes('task-list-item')
  return <li {...rest} className={isTask ? 'my-1 -ml-5 list-none [&>p]:my-1' : 'my-1 [&>p]:my-1'} />
}

function Link({ href = '', children }: Props<'a'>): ReactNode {
  const target = linkTarget(href)
  if (target === null) return children
  return <Outward target={target}>{children}</Outward>
}

const Outward = ({ target, children }: { target: string; children: ReactNode }): ReactNode => (
  <a
    href={target}
    title={target}
    target="_blank"
    rel="noopener noreferrer nofollow"
    className="text-accent underline underline-offset-2 wrap-anywhere"
  >
    {children}
  </a>
)

/**
 * Renders an image of another server as a link, because loading the image could send the conversation to that server
 * in the image's URL.
 */
function Image({ src = '', alt = '' }: Props<'img'>): ReactNode {
  if (typeof src !== 'string') return alt
  if (isOwnImage(src))
    return <img src={src} alt={alt} loading="lazy" className="my-2 max-h-96 max-w-full rounded-lg" />
  const target = linkTarget(src)
  const name = alt === '' ? t('image') : alt
  if (target === null) return name
  return (
    <Outward target={target}>
      {name} ({hostOf(target)})
    </Outward>
  )
}

const hostOf = (target: string): string => (target.startsWith('/') ? target : new URL(target).host || target)

function Preformatted({ node, children }: Props<'pre'>): ReactNode {
  const code = node?.children[0]
  if (code?.type !== 'element') return <pre>{children}</pre>
  const classes = (code.properties['className'] ?? []) as string[]
  const language = classes.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? ''
  return <CodeBlock pieces={[textOf(code)]} language={language} isOpen={false} />
}

const textOf = ({ children }: Node): string =>
  children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : ''))
    .join('')

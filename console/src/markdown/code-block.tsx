import { memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import { translator } from '../messages/index.ts'
import { copyText } from '../ui/copy-text.ts'
import { type Highlighted, highlighter } from './highlight.ts'
import { useLate } from './late.ts'

const t = translator('markdown')

const SHOWN_MS = 2_000
/** Maximum length of code to highlight. Highlighting longer code would block the page. */
const COLOURED_CHARACTERS_MAX = 12_000

/**
 * A code block with its language and a copy button. The code is given in pieces of several lines, so that only the
 * last piece renders again while the code grows.
 */
export function CodeBlock({
  pieces,
  language,
  isOpen,
}: {
  pieces: readonly string[]
  language: string
  isOpen: boolean
}): ReactNode {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isColoured = !isOpen && language !== '' && length <= COLOURED_CHARACTERS_MAX
  return (
    <div className="my-3 overflow-hidden rounded-lg border border-line bg-surface">
      <div className="flex items-center justify-between gap-2 border-b border-line px-3 py-1 text-xs touch:py-0 text-muted">
        <span className="truncate">{language === '' ? t('code') : language}</span>
        <CopyButton pieces={pieces} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it too
        tabIndex={0}
        role="group"
        aria-label={language === '' ? t('code') : t('codeIn', { language })}
        className="overflow-x-auto p-3 font-mono text-sm text-ink"
      >
        <code className="block">
          {isColoured ? (
            <ColouredCode text={pieces.join('')} language={language} />
          ) : (
            <PlainCode pieces={pieces} />
          )}
        </code>
      </pre>
    </div>
  )
}

const PlainCode = ({ pieces }: { pieces: readonly string[] }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces only grow at the end
  pieces.map((text, index) => <Piece key={index} text={text} />)

/** Renders a piece in its own element, so that the browser lays out only the piece that has grown. */
const Piece = memo(({ text }: { text: string }) => <span className="block">{text}</span>)

const ColouredCode = memo(({ text, language }: { text: string; language: string }): ReactNode => {
  const highlight = useLate(highlighter, true)
  const nodes = useMemo(() => highlight?.(text, language) ?? null, [highlight, text, language])
  return nodes === null ? <PlainCode pieces={[text]} /> : nodes.map(colouredNode)
})

const colouredNode = (node: Highlighted, index: number): ReactNode =>
  node.type === 'text' ? (
    node.value
  ) : (
    <span key={index} className={node.classes}>
      {node.children.map(colouredNode)}
    </span>
  )

type CopyState = 'copy' | 'copied' | 'copyFailed'

function CopyButton({ pieces }: { pieces: readonly string[] }): ReactNode {
  const [state, setState] = useState<CopyState>('copy')
  useEffect(() => {
    if (state === 'copy') return
    const clock = setTimeout(() => setState('copy'), SHOWN_MS)
    return () => clearTimeout(clock)
  }, [state])
  const copy = async (): Promise<void> =>
    setState((await copyText(pieces.join(''))) ? 'copied' : 'copyFailed')
  return (
    <>
      <button
        type="button"
        className="shrink-0 rounded px-2 py-1 text-muted hover:text-ink touch:min-h-10"
        onClick={copy}
      >
        {t(state)}
      </button>
      <span role="status" className="sr-only">
        {state === 'copy' ? '' : t(state)}
      </span>
    </>
  )
}

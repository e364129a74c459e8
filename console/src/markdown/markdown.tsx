import { memo, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { CitationsContext, type CitedPassage } from './citations.tsx'
import { CodeBlock } from './code-block.tsx'
import { LIST_LOOK, NUMBERED_LIST_LOOK, ScrolledTable } from './elements.tsx'
import { Prose } from './prose.tsx'
import { type Block, BlockSplitter, type ListBlock, type TableBlock } from './split-blocks.ts'

const NO_PASSAGES: readonly CitedPassage[] = []
/** Number of blocks in the first render. They fill more than one screen. */
const FIRST_BLOCKS = 24
const CITATION_MARK = /\[\d{1,3}\]/

export interface MarkdownProps {
  text: string
  /** Whether more text may follow. */
  streaming: boolean
  /** The passages that the citation marks `[1]`, `[2]` and so on refer to. */
  citations?: readonly CitedPassage[]
  onCitation?: (number: number) => void
}

/**
 * Renders the Markdown of a complete or streaming reply. Complete blocks are neither parsed nor rendered again, so
 * the cost of an update depends only on the new text. HTML tags appear as text, and nothing loads from other servers.
 */
export function Markdown({ text, streaming, citations = NO_PASSAGES, onCitation }: MarkdownProps): ReactNode {
  const [splitter] = useState(() => new BlockSplitter())
  const blocks = splitter.split(text, !streaming)
  // Blocks after the first ones render in a deferred update, so that the page stays responsive. Later blocks do not:
  // each new text would interrupt the deferred update, which would then begin again.
  const deferred = useDeferredValue(blocks.length, FIRST_BLOCKS)
  const isCaughtUp = useRef(false)
  if (deferred >= blocks.length) isCaughtUp.current = true
  const count = isCaughtUp.current ? blocks.length : deferred
  const latest = useRef(onCitation)
  useEffect(() => {
    latest.current = onCitation
  }, [onCitation])
  const context = useMemo(
    () => ({ passages: citations, onCitation: (number: number) => latest.current?.(number) }),
    [citations],
  )
  return (
    <CitationsContext value={context}>
      <div className="text-ink [&>:first-child]:mt-0 [&>:last-child]:mb-0">
        {blocks.slice(0, count).map((block, index) => (
          <DrawnBlock
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks only grow at the end
            key={index}
            block={block}
            citationCount={citations.length}
            definitions={splitter.definitions}
          />
        ))}
      </div>
    </CitationsContext>
  )
}

interface DrawnBlockProps {
  block: Block
  citationCount: number
  definitions: string
}

const DrawnBlock = memo(({ block, citationCount, definitions }: DrawnBlockProps): ReactNode => {
  switch (block.kind) {
    case 'code':
      return <CodeBlock pieces={block.pieces} language={block.language} isOpen={block.isOpen} />
    case 'plain':
      return <p className="my-2 wrap-anywhere whitespace-pre-wrap">{block.text}</p>
    case 'prose':
      return (
        <Prose
          text={block.text}
          isOpen={block.isOpen}
          citationCount={marksIn(block.text, citationCount)}
          definitions={definitionsFor(block.text, definitions)}
        />
      )
    default:
      return <Pieces block={block} citationCount={citationCount} definitions={definitions} />
  }
})

/** Renders a table or list. Each piece is parsed separately, and all pieces render inside one element. */
function Pieces({
  block,
  citationCount,
  definitions,
}: DrawnBlockProps & { block: TableBlock | ListBlock }): ReactNode {
  const isTable = block.kind === 'table'
  // Without rows, render one empty piece, so that the table's head appears.
  const pieces = isTable && block.pieces.length === 0 ? [''] : block.pieces
  const drawn = pieces.map((text, index) => (
    <Prose
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces only grow at the end
      key={index}
      text={text}
      head={isTable ? block.head : ''}
      isOpen={block.isOpen && index === pieces.length - 1}
      citationCount={marksIn(text, citationCount)}
      part={isTable ? (index === 0 ? 'table head' : 'table') : 'list'}
      definitions={definitionsFor(text, definitions)}
    />
  ))
  if (isTable) return <ScrolledTable>{drawn}</ScrolledTable>
  if (block.start === null) return <ul className={LIST_LOOK}>{drawn}</ul>
  return (
    <ol start={block.start} className={NUMBERED_LIST_LOOK}>
      {drawn}
    </ol>
  )
}

/**
 * Returns the number of citations for a block. A block without citation marks gets 0, so that it does not render
 * again when citations arrive.
 */
const marksIn = (text: string, count: number): number => (count > 0 && CITATION_MARK.test(text) ? count : 0)

/**
 * Returns the link definitions for a block. A block without `[` gets none, so that it does not render again when
 * definitions arrive.
 */
const definitionsFor = (text: string, definitions: string): string => (text.includes('[') ? definitions : '')

import type { Citation } from '@parley/client/schemas'
import { Link } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { ReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const t = translator('chat')

/** The list of passages that a reply cites. Each passage opens in a dialog. */
export function Sources({
  citations,
  open,
  onOpen,
}: {
  citations: readonly Citation[]
  /** The number of the passage that is open, starting at 1. Null if none is open. */
  open: number | null
  onOpen: (number: number | null) => void
}) {
  const shown = open === null ? undefined : citations[open - 1]
  return (
    <>
      <ol aria-label={t('sources.label')} className="flex flex-wrap gap-1.5">
        {citations.map(({ chunk_id, document_name }, index) => (
          <li key={chunk_id} className="min-w-0">
            <button
              type="button"
              onClick={() => onOpen(index + 1)}
              className="flex max-w-60 items-center gap-1.5 rounded-lg border border-line bg-raised px-2 py-1 text-xs hover:bg-hover touch:min-h-10"
            >
              <span className="font-medium text-accent">{index + 1}</span>
              <span className="min-w-0 truncate">{document_name}</span>
            </button>
          </li>
        ))}
      </ol>
      <Dialog
        open={shown !== undefined}
        onClose={() => onOpen(null)}
        title={open === null ? '' : t('sources.title', { number: open })}
        description={shown?.document_name}
      >
        {shown && <Passage citation={shown} />}
      </Dialog>
    </>
  )
}

const Passage = ({ citation }: { citation: Citation }) => (
  <>
    <blockquote className="min-w-0 border-l-4 border-line pl-3">
      <ReplyText text={citation.snippet} streaming={false} />
    </blockquote>
    <p className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <span>{t('sources.relevance', { score: citation.score })}</span>
      <DocumentLink citation={citation} />
    </p>
  </>
)

function DocumentLink({ citation: { kb_id, document_id, chunk_id } }: { citation: Citation }) {
  const { may } = useHere()
  if (kb_id === undefined || !may('kb:read')) return null
  return (
    <Link
      to="/knowledge/$kbId/documents/$documentId"
      params={{ kbId: kb_id, documentId: document_id }}
      search={{ chunk: chunk_id }}
      className="reach inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
    >
      <FileText aria-hidden size={15} /> {t('sources.open')}
    </Link>
  )
}

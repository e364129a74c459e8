import { Button } from './button.tsx'
import { type ChunkTrouble, retryChunks, useChunkTrouble } from './chunks.ts'

/**
 * Says why a page doesn't open, and what helps. It stands above the page, covers nothing, and works while a dialog is
 * open. It never reloads by itself: that would destroy drafts.
 */
export function ChunkNotice() {
  const trouble = useChunkTrouble()
  return (
    <div
      role="status"
      // A dialog hides all that is not live from screen readers, and closes by a press outside.
      aria-live="polite"
      onPointerDown={(event) => event.stopPropagation()}
      className="pointer-events-auto relative z-[60] shrink-0"
    >
      {trouble && <Notice trouble={trouble} />}
    </div>
  )
}

const WORDS: Record<ChunkTrouble, { title: string; text: string }> = {
  offline: { title: "You're offline", text: 'The page opens when the connection is back.' },
  unreachable: { title: "The server can't be reached", text: 'The page opens when the server answers.' },
  replaced: { title: 'A new version is available', text: 'Save your changes, then reload the page.' },
  broken: { title: "The page doesn't load", text: 'Try again, or save your changes and reload.' },
}

function Notice({ trouble }: { trouble: ChunkTrouble }) {
  const { title, text } = WORDS[trouble]
  const mayReload = trouble === 'replaced' || trouble === 'broken'
  return (
    <div className="appear flex flex-wrap items-center justify-center gap-x-6 gap-y-2 border-b border-line bg-warning-soft px-4 py-2 text-sm">
      <p className="min-w-0">
        <strong className="font-semibold">{title}.</strong> {text}
      </p>
      <div className="flex gap-2">
        {trouble !== 'replaced' && (
          <Button size="small" onClick={retryChunks}>
            Try again
          </Button>
        )}
        {mayReload && (
          <Button size="small" kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
      </div>
    </div>
  )
}

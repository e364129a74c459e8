import { Button } from './button.tsx'
import { type ChunkTrouble, retryChunks, useChunkTrouble } from './chunks.ts'

/** Says why a page doesn't open, and what helps. It never reloads by itself: that would destroy drafts. */
export function ChunkNotice() {
  const trouble = useChunkTrouble()
  return (
    <div role="status" className="pointer-events-none fixed inset-x-4 top-4 z-[60] flex justify-center">
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
    <div className="appear pointer-events-auto flex max-w-full flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-line bg-raised py-2 pr-2 pl-4 text-sm shadow-lg">
      <p className="min-w-0 grow">
        <strong className="block font-semibold">{title}</strong>
        <span className="text-muted">{text}</span>
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

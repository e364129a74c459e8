import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { type ChunkTrouble, retryChunks, useChunkTrouble } from './chunks.ts'

const t = translator('ui')

/**
 * Explains why a page does not open, and what the user can do. The notice is above the page, so it covers nothing,
 * and it works while a dialog is open. It never reloads the page by itself, because a reload would destroy drafts.
 */
export function ChunkNotice() {
  const trouble = useChunkTrouble()
  return (
    <div
      role="status"
      // An open dialog hides everything except live regions from screen readers, and closes when the user clicks
      // outside it. The notice is therefore a live region and stops the event.
      aria-live="polite"
      onPointerDown={(event) => event.stopPropagation()}
      className="pointer-events-auto relative z-[60] shrink-0"
    >
      {trouble && <Notice trouble={trouble} />}
    </div>
  )
}

function Notice({ trouble }: { trouble: ChunkTrouble }) {
  const mayReload = trouble === 'replaced' || trouble === 'broken'
  return (
    <div className="appear flex flex-wrap items-center justify-center gap-x-6 gap-y-2 border-b border-line bg-warning-soft px-4 py-2 text-sm">
      <p className="min-w-0">
        {t.rich(`chunks.${trouble}`, {
          title: (text) => <strong className="font-semibold">{text}</strong>,
        })}
      </p>
      <div className="flex gap-2">
        {trouble !== 'replaced' && (
          <Button size="small" onClick={retryChunks}>
            {t('retry')}
          </Button>
        )}
        {mayReload && (
          <Button size="small" kind="primary" onClick={() => location.reload()}>
            {t('chunks.reload')}
          </Button>
        )}
      </div>
    </div>
  )
}

import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { type ChunkTrouble, retryChunks, useChunkTrouble } from './chunks.ts'

const t = translator('ui')

/**
 * Says why a page doesn't open, and what to do. It is above the page, covers nothing, and works while a dialog is
 * open. It never reloads the page by itself because that would destroy drafts.
 */
export function ChunkNotice() {
  const trouble = useChunkTrouble()
  return (
    <div
      role="status"
      // Open dialogs hide everything except live regions from screen readers, and close on a press outside.
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

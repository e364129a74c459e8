import { type ReactNode, useState } from 'react'
import { retryConnection, useConnection, useIsReplaced } from '../api/connection.ts'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { retryChunks, useChunkTrouble } from './chunks.ts'

const t = translator('ui')

/**
 * Explains what is wrong with the connection or the build, and what the user can do. The notice is above the page, so
 * it covers nothing, and it works while a dialog is open. It never reloads the page by itself, because a reload would
 * destroy unsaved changes.
 */
export const PageNotice = () => (
  <div
    role="status"
    // An open dialog hides everything except live regions from screen readers, and closes when the user clicks
    // outside it. The notice is therefore a live region and stops the event.
    aria-live="polite"
    onPointerDown={(event) => event.stopPropagation()}
    className="pointer-events-auto relative z-[60] shrink-0"
  >
    <Worst />
  </div>
)

/** Shows the most severe problem: a page that doesn't open, then the connection, then an outdated build. */
function Worst(): ReactNode {
  const chunk = useChunkTrouble()
  const connection = useConnection()
  const isReplaced = useIsReplaced()
  const [isLater, setLater] = useState(false)
  if (chunk !== null)
    return (
      <Notice text={t.rich(`chunks.${chunk}`, TITLE)}>
        {chunk !== 'replaced' && <Retry />}
        {(chunk === 'replaced' || chunk === 'broken') && <Reload />}
      </Notice>
    )
  if (connection === 'offline') return <Notice text={t.rich('connection.offline', TITLE)} />
  if (connection === 'unreachable')
    return (
      <Notice text={t.rich('connection.unreachable', TITLE)}>
        <Retry />
      </Notice>
    )
  if (!isReplaced || isLater) return null
  return (
    <Notice text={t.rich('connection.replaced', TITLE)}>
      <Button size="small" onClick={() => setLater(true)}>
        {t('connection.later')}
      </Button>
      <Reload />
    </Notice>
  )
}

const TITLE = {
  title: (words: ReactNode) => <strong className="font-semibold">{words}</strong>,
}

const Notice = ({ text, children }: { text: ReactNode; children?: ReactNode }) => (
  <div className="appear flex flex-wrap items-center justify-center gap-x-6 gap-y-2 border-b border-line bg-warning-soft px-4 py-2 text-sm">
    <p className="min-w-0">{text}</p>
    <div className="flex gap-2 empty:hidden">{children}</div>
  </div>
)

function Retry() {
  const retry = () => {
    retryConnection()
    retryChunks()
  }
  return (
    <Button size="small" onClick={retry}>
      {t('retry')}
    </Button>
  )
}

const Reload = () => (
  <Button size="small" kind="primary" onClick={() => location.reload()}>
    {t('chunks.reload')}
  </Button>
)

import { notifyManager } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { useConnection } from '../api/connection.ts'
import { isOutage, queryClient, retryFailed } from '../api/queries.ts'
import { Failure } from './states.tsx'

/**
 * Reports once per page that the server failed, and retries all failed requests of the page. Hidden while the notice
 * above the page reports the connection (ui/page-notice.tsx).
 */
export function Outage() {
  const failed = useSyncExternalStore(follow, firstFailure)
  // Stays while the requests are repeated, so that the page does not jump.
  const [retried, setRetried] = useState<Error | null>(null)
  const isHidden = useConnection() !== 'online'
  const error = failed ?? retried
  if (error === null || isHidden) return null
  const retry = async () => {
    setRetried(error)
    await retryFailed()
    setRetried(null)
  }
  return <Failure error={error} busy={retried !== null} onRetry={() => void retry()} />
}

const queries = queryClient.getQueryCache()

const follow = (listener: () => void) => queries.subscribe(notifyManager.batchCalls(listener))

/** Returns the outage because of which a part of the page has no data. */
const firstFailure = (): Error | null =>
  queries.findAll({
    type: 'active',
    predicate: ({ state: { data, error } }) => data === undefined && isOutage(error),
  })[0]?.state.error ?? null

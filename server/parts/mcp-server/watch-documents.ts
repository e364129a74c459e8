import type { Scope } from '#platform/access/scope.ts'
import type { HeardEvent } from '#platform/events/event-listeners.ts'
import type { WatchList } from '#platform/mcp/server-definition.ts'
import type { Services } from '#platform/services.ts'

/** Minimum interval between two notifications of one client, in milliseconds. Changes in between are combined. */
const NOTIFY_MS = 2_000

/**
 * Watches the documents that the caller may read. They change when an ingestion ends, also after the deletion of a
 * document or source, and when a knowledge base is deleted. Live events announce both, from all processes.
 */
export const watchDocuments =
  ({ events }: Pick<Services, 'events'>, scope: Scope<'kb:read'>): WatchList =>
  ({ onChange, onEnd }) => {
    let notifying: NodeJS.Timeout | undefined
    let lastAt = -NOTIFY_MS
    function notify(): void {
      notifying = undefined
      lastAt = performance.now()
      onChange()
    }
    const unlisten = events.listeners.listen({
      scope,
      permission: 'kb:read',
      onEvent(event) {
        if (changesDocuments(event))
          notifying ??= setTimeout(notify, Math.max(0, lastAt + NOTIFY_MS - performance.now())).unref()
      },
      onEnd,
    })
    return () => {
      clearTimeout(notifying)
      unlisten()
    }
  }

const changesDocuments = ({ type, data }: HeardEvent): boolean =>
  type === 'kb.deleted' || (type === 'kb.ingestion' && data['progress'] === 1)

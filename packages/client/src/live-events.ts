import type { IngestionStatus } from './schemas.ts'
import type { TokenSource } from './transport.ts'
import { waitForRetry } from './wait-for-retry.ts'

/** A notification that data has changed (docs/live-events.md). Read the current data from the API. */
export type LiveEvent =
  | { type: 'chat.title_updated'; organization_id: string; data: { chat_id: string; title: string } }
  | {
      type: 'kb.ingestion'
      organization_id: string
      data: { kb_id: string; status: IngestionStatus['status']; progress: number }
    }
  | { type: 'kb.deleted'; organization_id: string; data: { kb_id: string } }
  | {
      type: 'deployment.status'
      organization_id: string
      data: { deployment_id: string; status: 'active' | 'paused' }
    }

interface Listener {
  onEvent: (event: LiveEvent) => void
  /** Called after each lost connection, because events may have been missed. */
  onGap: () => void
}

const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 30_000

/**
 * Receives live events until the signal aborts. Reconnects after a lost connection. Requires a global WebSocket,
 * which browsers and Node 22+ provide.
 */
export async function listenForEvents(
  url: string,
  tokens: TokenSource,
  { onEvent, onGap }: Listener,
  signal: AbortSignal,
): Promise<void> {
  for (let wait = WAIT_MIN_MS; !signal.aborted; wait = Math.min(wait * 2, WAIT_MAX_MS)) {
    const startedAt = Date.now()
    await connect(url, tokens, onEvent, signal).catch(() => {})
    if (Date.now() - startedAt > WAIT_MAX_MS) wait = WAIT_MIN_MS
    await waitForRetry(wait * (0.5 + Math.random()), signal)
    if (!signal.aborted) onGap()
  }
}

async function connect(
  url: string,
  tokens: TokenSource,
  onEvent: Listener['onEvent'],
  signal: AbortSignal,
): Promise<void> {
  const token = await tokens.token()
  if (token === null || signal.aborted) return
  const socket = new WebSocket(url)
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve()
  })
  const leave = (): void => socket.close()
  signal.addEventListener('abort', leave, { once: true })
  socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token }))
  socket.onmessage = ({ data }) => onEvent(JSON.parse(String(data)) as LiveEvent)
  await closed
  signal.removeEventListener('abort', leave)
}

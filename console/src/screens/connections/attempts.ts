/** An attempt to connect an account that this browser has begun: what comes back is only believed of these. */
export interface Attempt {
  /** The connection: mcp_session_id. */
  id: string
  serverId: string
  serverName: string
  organizationId: string
  userId: string
  /** Where somebody signs in: in a window of its own, or in this tab, which comes back to the page. */
  way: 'window' | 'tab'
  /** Milliseconds since 1970. */
  begunAt: number
  outcome?: Outcome
}

/** `error` null: it is connected. */
export interface Outcome {
  error: string | null
}

const KEY = 'parley.mcp_attempts'
/** The server lets nobody come back later than this. */
const ATTEMPT_MS = 600_000
const KEPT_MAX = 20

/** Remembered in the browser: a provider's page may cut the window off from the one that opened it. */
export function keepAttempt(attempt: Attempt): void {
  const others = readAttempts().filter(({ id }) => id !== attempt.id)
  store([...others, attempt].slice(-KEPT_MAX))
}

/** The one that this browser has begun for this connection, and which may still come back. */
export const findAttempt = (id: string | undefined, now = Date.now()): Attempt | undefined =>
  readAttempts(now).find((attempt) => attempt.id === id)

/** Says in all tabs what has come of it. */
export function endAttempt(id: string, outcome: Outcome): void {
  store(readAttempts().map((attempt) => (attempt.id === id ? { ...attempt, outcome } : attempt)))
}

export const forgetAttempt = (id: string): void => store(readAttempts().filter((one) => one.id !== id))

/** Hears what another tab or window has said of an attempt. */
export function onOutcome(id: string, hear: (outcome: Outcome) => void): () => void {
  const look = ({ key }: StorageEvent) => {
    const outcome = key === KEY ? findAttempt(id)?.outcome : undefined
    if (outcome) hear(outcome)
  }
  window.addEventListener('storage', look)
  return () => window.removeEventListener('storage', look)
}

function readAttempts(now = Date.now()): Attempt[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as Attempt[]
    return kept.filter(({ begunAt }) => now - begunAt < ATTEMPT_MS)
  } catch {
    return []
  }
}

const store = (attempts: Attempt[]): void => localStorage.setItem(KEY, JSON.stringify(attempts))

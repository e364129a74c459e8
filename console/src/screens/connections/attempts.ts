/** An attempt to connect an account that this browser started. Callbacks are trusted only for these. */
export interface Attempt {
  /** The id of the connection: mcp_session_id. */
  id: string
  serverId: string
  serverName: string
  organizationId: string
  userId: string
  /** Where sign-in opens. A tab returns to the page. */
  way: 'window' | 'tab'
  /** Milliseconds since 1970. */
  begunAt: number
  outcome?: Outcome
}

/** `error` is null on success. */
export interface Outcome {
  error: string | null
}

const KEY = 'parley.mcp_attempts'
/** The server's limit for an attempt, in milliseconds. */
const ATTEMPT_MS = 600_000
const KEPT_MAX = 20

/** Stores an attempt for all tabs, because a provider's page may cut the link between a window and its opener. */
export function keepAttempt(attempt: Attempt): void {
  const others = readAttempts().filter(({ id }) => id !== attempt.id)
  store([...others, attempt].slice(-KEPT_MAX))
}

/** Returns the attempt for a connection unless it has expired. */
export const findAttempt = (id: string | undefined, now = Date.now()): Attempt | undefined =>
  readAttempts(now).find((attempt) => attempt.id === id)

/** Reports the outcome to all tabs. */
export function endAttempt(id: string, outcome: Outcome): void {
  store(readAttempts().map((attempt) => (attempt.id === id ? { ...attempt, outcome } : attempt)))
}

export const forgetAttempt = (id: string): void => store(readAttempts().filter((one) => one.id !== id))

/** Listens for an outcome that another tab or window reports. Returns a function that stops listening. */
export function onOutcome(id: string, report: (outcome: Outcome) => void): () => void {
  const look = ({ key }: StorageEvent) => {
    const outcome = key === KEY ? findAttempt(id)?.outcome : undefined
    if (outcome) report(outcome)
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

/**
 * An attempt to connect an account, started in this browser. The callback page trusts only callbacks for these
 * attempts.
 */
export interface Attempt {
  /** The id of the connection. The callback names it in `mcp_session_id`. */
  id: string
  serverId: string
  serverName: string
  organizationId: string
  userId: string
  /** Where the provider's sign-in page opens: in a new window, or in this tab. */
  way: 'window' | 'tab'
  /** Start time in milliseconds since the Unix epoch. */
  begunAt: number
  outcome?: Outcome
}

/** The result of an attempt. `error` is null on success. */
export interface Outcome {
  error: string | null
}

const KEY = 'parley.mcp_attempts'
/** Lifetime of an attempt in milliseconds, the same as on the server. */
const ATTEMPT_MS = 600_000
const KEPT_MAX = 20

/**
 * Stores an attempt in localStorage, where all tabs can read it. A provider's page may cut the link between a window
 * and its opener, so windows cannot report to their opener directly.
 */
export function keepAttempt(attempt: Attempt): void {
  const others = readAttempts().filter(({ id }) => id !== attempt.id)
  store([...others, attempt].slice(-KEPT_MAX))
}

/** Returns the attempt for a connection. Returns undefined if there is none or it has expired. */
export const findAttempt = (id: string | undefined, now = Date.now()): Attempt | undefined =>
  readAttempts(now).find((attempt) => attempt.id === id)

/** Stores the outcome of an attempt, which notifies all tabs. */
export function endAttempt(id: string, outcome: Outcome): void {
  store(readAttempts().map((attempt) => (attempt.id === id ? { ...attempt, outcome } : attempt)))
}

export const forgetAttempt = (id: string): void => store(readAttempts().filter((one) => one.id !== id))

/**
 * Calls `report` when another tab or window stores the outcome of an attempt. Returns a function that stops
 * listening.
 */
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

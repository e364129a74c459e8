import { setTimeout as sleep } from 'node:timers/promises'
import type { PendingQuery, Row, Sql } from 'postgres'

/** A process hears within a second that a reply is to stop; one that does not is gone, or not writing a reply. */
const WAIT_MS = 5_000
const POLL_MS = 200

/**
 * Asks calls under way to end, and waits a while until they have: they pay what they have used. This is a statement of
 * its own, so that it never holds locks of holds while it waits for an account.
 */
export async function stopCalls(sql: Sql, condition: PendingQuery<Row[]>): Promise<void> {
  await sql`update open_holds set stop_requested = true where ${condition}`
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const [open] = await sql`select from open_holds where ${condition} limit 1`
    if (!open) return
  }
}

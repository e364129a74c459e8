import { setTimeout as sleep } from 'node:timers/promises'
import type { Shop } from '../screens/shop.ts'

const WAIT_MS_MAX = 60_000
const POLL_MS = 100

/**
 * Waits until titles are written, deliveries attempted, mail sent and messages searchable. One reply stays in
 * progress.
 */
export async function waitUntilQuiet({ sql, stage, team, owner }: Shop): Promise<void> {
  const end = Date.now() + WAIT_MS_MAX
  for (;;) {
    const [left] = await sql`
      select (select count(*) from open_holds)::int as holds,
        (select count(*) from webhook_deliveries where attempts = '[]' and status = 'pending')::int as deliveries,
        (select count(*) from jobs.job where state in ('created', 'active') and start_after <= now())::int as jobs`
    // `pounds` is a word of the last stored message, so all messages are searchable once it is found.
    const found = await stage.server.call('GET', team.at('/api/chat/search?q=pounds'), { token: owner.token })
    if (left?.['holds'] === 1 && left['deliveries'] === 0 && left['jobs'] === 0 && found.body.data.length > 0)
      return
    if (Date.now() > end)
      throw new Error(`background work did not finish: ${JSON.stringify(left)} ${found.text}`)
    await sleep(POLL_MS)
  }
}

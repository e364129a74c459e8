import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endBrowser } from '#tests/support/browser.ts'
import { startConsoleStage } from '#tests/support/console-stage.ts'
import { fill } from './screens/fill.ts'
import { fillUsage } from './screens/fill-usage.ts'
import { type Screen, screensOf } from './screens/screens.ts'
import { openShop } from './screens/shop.ts'
import { CHIEF_LOOKS, DESKTOP, take } from './screens/take.ts'

/*
 * Takes screenshots of every screen of the console into docs/screens, using a real server with a sample bookshop. `npm
 * run screens` takes all of them; `npm run screens -- chat usage` takes those whose names start with `chat` or
 * `usage`. Requires Chromium and PostgreSQL (scripts/get-postgres.sh).
 */

const FOLDER = join(import.meta.dirname, '../docs/screens')
const wanted = process.argv.slice(2)

const shop = await openShop('of-pictures-and-of-nothing-else-0000', startConsoleStage)
try {
  const filled = await fill(shop)
  await fillUsage(shop, filled)
  const administrator = await shop.team.administrator()
  const personOf = ({ as = 'owner' }: Screen) =>
    ({
      stranger: undefined,
      administrator,
      owner: shop.owner,
      jonas: filled.people.jonas,
      ida: filled.accounts.ida,
      nils: filled.accounts.nils,
    })[as]
  if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const screen of screensOf(filled)) {
    if (wanted.length > 0 && !wanted.some((name) => screen.name.startsWith(name))) continue
    for (const look of screen.isChief ? [DESKTOP, ...CHIEF_LOOKS] : [DESKTOP])
      await take(shop, personOf(screen), screen, look, FOLDER)
    console.log(screen.name)
  }
  for (const problem of shop.stage.problems) console.log(`page error: ${problem}`)
} finally {
  await shop.close()
  await endBrowser()
}

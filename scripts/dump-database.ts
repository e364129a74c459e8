import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  DUMPS,
  type DumpFacts,
  forgetCodes,
  readFacts,
  signIn,
  startRestored,
} from '#tests/support/dumped-database.ts'
import { listen } from '#tests/support/mcp/index.ts'
import { findPostgres } from '#tests/support/postgres.ts'
import { readAccount } from '#tests/support/read-accounts.ts'
import { startTestServer } from '#tests/support/server.ts'
import { fillMore } from './dump/fill-more.ts'
import { waitUntilQuiet } from './dump/wait-until-quiet.ts'
import { fill } from './screens/fill.ts'
import { openShop, PASSWORD } from './screens/shop.ts'

/*
 * `npm run dump`: fills a server with a sample bookshop and dumps its database to tests/fixtures/databases, named
 * after the latest migration. tests/journeys/dumped-databases.test.ts runs later versions on it. Requires PostgreSQL
 * with pg_dump (scripts/get-postgres.sh). Never overwrites a dump.
 */

const SECRET = 'of-a-dump-and-of-nothing-else-000000'
const DUMP_BYTES_MAX = 64 * 1024 * 1024
const MIGRATIONS = join(import.meta.dirname, '../server/database/migrations')

const name = readdirSync(MIGRATIONS)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .at(-1)
  ?.replace('.sql', '') as string
const folder = join(DUMPS, name)
if (existsSync(folder)) throw new Error(`${folder} already exists: dumps are never overwritten`)

const silent = await listen(() => {})
const shop = await openShop(SECRET, async (environment) => {
  const server = await startTestServer(environment)
  return { server, stop: () => server.stop() }
})
try {
  const filled = await fill(shop)
  const { appSecret } = filled.accounts
  const more = await fillMore(shop, filled, silent.url)
  await waitUntilQuiet(shop)
  const dumpedAt = new Date().toISOString()
  const dump = dumpDatabase(shop.databaseUrl)
  const person = (first: string) => ({ email: `${first}@lighthouse.example`, password: PASSWORD })
  const facts: DumpFacts = {
    dumpedAt,
    secret: SECRET,
    people: {
      marta: person('marta'),
      jonas: person('jonas'),
      ines: person('ines'),
      tom: person('tom'),
      yuki: person('yuki'),
      rasmus: person('rasmus'),
      ida: { ...person('ida'), appSecret },
      nils: person('nils'),
      administrator: { email: 'admin@localhost', password: 'administrator' },
    },
    deployment: { key: filled.deployments.websiteKey, sessionId: more.sessionId },
    invitationToken: filled.people.invitationToken,
    interruptedChatId: more.interruptedChatId,
    kbId: filled.knowledge.handbook,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'dump.sql.gz'), gzipSync(dump, { level: 9 }))
  writeFileSync(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`)
  cpSync(join(shop.stage.server.environment['DATA_DIR'] ?? '', 'files'), join(folder, 'files'), {
    recursive: true,
  })
  writeFileSync(join(folder, 'answers.json'), await recordAnswers())
} catch (error) {
  rmSync(folder, { recursive: true, force: true })
  throw error
} finally {
  await shop.close()
  await silent.close()
}

/** Returns a dump of the whole database as plain statements, which any client can run. */
function dumpDatabase(url: string): string {
  const dump = execFileSync(
    join(findPostgres() ?? '', 'pg_dump'),
    ['--dbname', url, '--no-owner', '--no-privileges', '--rows-per-insert=100'],
    { encoding: 'utf8', maxBuffer: DUMP_BYTES_MAX },
  )
  // Remove psql commands, such as \restrict.
  return dump.replace(/^\\.*$/gm, '')
}

/** Restores the dump and returns the key values of this version's responses, one line per request. */
async function recordAnswers(): Promise<string> {
  await shop.sql`create database parley_copy template template0`
  const url = new URL(shop.databaseUrl)
  url.pathname = '/parley_copy'
  const restored = await startRestored(folder, url.href)
  try {
    await forgetCodes(restored)
    const { people, dumpedAt } = readFacts(folder)
    const parts: string[] = []
    for (const [name, person] of Object.entries(people)) {
      const answers = await readAccount(restored, await signIn(restored, person), dumpedAt)
      const lines = Object.entries(answers).map((line) => line.map((part) => JSON.stringify(part)).join(': '))
      parts.push(`"${name}": {\n${lines.join(',\n')}\n}`)
    }
    return `{\n${parts.join(',\n')}\n}\n`
  } finally {
    await restored.stop()
  }
}

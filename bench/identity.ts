import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../server/config.ts'
import { systemSql } from '../server/database/system-sql.ts'
import { startServer } from '../server/main.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { POSTGRES_SETTINGS } from './parley.ts'
import { describeTimes, quantile, timed } from './times.ts'

/*
 * Measures authentication and authorization on PostgreSQL:
 *
 *   node bench/identity.ts
 *
 * Compares requests that only authenticate the caller with requests that also check a permission. Also compares failed
 * sign-ins of known and unknown email addresses: the difference should be smaller than the spread of either. The
 * compared requests alternate, so that other load on the machine affects both equally.
 */

const CHECKS = 4_000
const SIGN_INS = 60

async function measureChecks(): Promise<void> {
  const person = await client.signUp()
  const { access, tokens } = server.services
  const credential = { kind: 'session' as const, ...(await tokens.verify(person.token)) }
  const request = {
    credential,
    client: { address: '127.0.0.1', userAgent: null, language: null, requestId: crypto.randomUUID() },
    query: { org_id: person.organizationId },
    body: null,
    allowedWhileSuspended: true,
  }
  const whoOnly: number[] = []
  const whole: number[] = []
  for (let count = 0; count < CHECKS; count++) {
    whoOnly.push(await timed(() => access.openCaller(request)))
    whole.push(await timed(() => access.openScope({ permission: 'chats:read', orgOf: 'query' }, request)))
  }
  console.log(`Authentication:                 ${describe(whoOnly)}`)
  console.log(`With a permission check:        ${describe(whole)}`)
  console.log(
    `Permission check, p50:          ${(quantile(whole, 0.5) - quantile(whoOnly, 0.5)).toFixed(3)} ms\n`,
  )
}

async function measureSignIns(): Promise<void> {
  const people: Person[] = []
  for (let count = 0; count < SIGN_INS; count++) people.push(await client.signUp())
  const known: number[] = []
  const unknown: number[] = []
  for (const { email } of people) {
    await systemSql(server.services.database)`delete from login_attempts`
    known.push(await timed(() => signIn(email)))
    unknown.push(await timed(() => signIn(`${crypto.randomUUID()}@example.com`)))
  }
  console.log(`Failed sign-in, known email:    ${describe(known)}`)
  console.log(`Failed sign-in, unknown email:  ${describe(unknown)}`)
  console.log(
    `Difference, p50:                ${(quantile(known, 0.5) - quantile(unknown, 0.5)).toFixed(3)} ms`,
  )
}

const signIn = (email: string) =>
  client.call('POST', '/api/auth/login', { body: { email, password: 'not the password' } })

const describe = (times: number[]): string => describeTimes(times, [25, 50, 75])

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const dataDir = join(folder, 'postgres')
mkdirSync(dataDir)
const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
await postgres.createDatabase('parley')
const server = await startServer(
  readConfig({
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: postgres.url('parley'),
    SECRET: 's'.repeat(32),
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
  }),
)
const client = createClient(server.address)

try {
  await measureChecks()
  await measureSignIns()
} finally {
  await server.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

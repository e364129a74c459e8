import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '#tests/support/free-port.ts'
import { runCli } from '#tests/support/process.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'
import { examine } from '../../server/doctor/doctor.ts'

/** A process with another SECRET than the one that the database is encrypted with. */

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
const FIRST_START_MS = 120_000

const folder = mkdtempSync(join(tmpdir(), 'parley-secret-'))
let database: Awaited<ReturnType<typeof createDatabase>>
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function run(args: string[], environment: Record<string, string>) {
  const port = String(await findFreePort())
  const { ended, output } = runCli(args, { PORT: port, LOG_LEVEL: 'silent', ...environment }, folder)
  return { code: await ended, output: output() }
}

test(
  'is refused at the start and named by doctor, while a rotation works',
  async ({ skip }) => {
    if (database === null) return skip()
    const environment = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'server') }
    const server = await startTestServer({ ...environment, SECRET: A })
    const isReady = async () => (await server.call('GET', '/readyz')).status
    const secretLine = async (secret: string) =>
      (await examine({ ...environment, SECRET: secret })).find(({ message }) => message.includes('SECRET'))

    expect(await run(['start'], { ...environment, SECRET: B })).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^parley: The database is encrypted with another SECRET\. Set SECRET to .*\n$/,
      ),
    })
    expect(await secretLine(B)).toMatchObject({ check: 'database', status: 'problem' })
    expect(await secretLine(A)).toMatchObject({ check: 'database', status: 'ok' })

    // Both names of a wrong pair are refused, before anything is encrypted again.
    const wrong = await run(['rotate-secret'], { ...environment, SECRET: C, SECRET_PREVIOUS: B })
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('encrypted with another SECRET') })
    expect(await isReady()).toBe(200)

    // Until the rotation is done, a process needs both secrets. Afterwards, the old one alone is not enough.
    expect((await run(['start'], { ...environment, SECRET: B })).code).toBe(1)
    const rotated = await run(['rotate-secret'], { ...environment, SECRET: B, SECRET_PREVIOUS: A })
    expect(rotated.code).toBe(0)
    expect((await run(['start'], { ...environment, SECRET: A })).code).toBe(1)
    await expect.poll(isReady, { timeout: 60_000 }).toBe(503)
    expect((await server.call('GET', '/readyz')).body.detail).toContain('encrypted with another SECRET')
    await server.stop()

    const next = await startTestServer({ ...environment, SECRET: B })
    expect((await next.call('GET', '/readyz')).status).toBe(200)
    await next.stop()
  },
  FIRST_START_MS,
)

test(
  'an embedded database whose secret file is another one starts only after the loss is accepted',
  async () => {
    const environment = { DATA_DIR: join(folder, 'embedded'), DATABASE_URL: '' }
    const first = await startTestServer(environment)
    await first.stop()
    const file = join(environment.DATA_DIR, 'secret')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, C)
    for (const command of ['start', 'rotate-secret'])
      expect(await run([command], environment)).toEqual({
        code: 1,
        output: expect.stringMatching(/^parley: The database in .* is encrypted with another secret .*\n$/),
      })
    writeFileSync(file, before)
    const again = await startTestServer(environment)
    await again.stop()
    writeFileSync(file, C)
    expect((await run(['rotate-secret', '--lost'], environment)).code).toBe(0)
    const later = await startTestServer(environment)
    expect((await later.call('GET', '/readyz')).status).toBe(200)
    await later.stop()
  },
  2 * FIRST_START_MS,
)

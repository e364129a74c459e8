import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, type ServerProcess, startProcess } from '#tests/support/process.ts'
import { needs } from '#tests/support/programs.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase } from '#tests/support/server.ts'

/** `parley start --workers N`: several processes behind one port. */

const CLI = join(import.meta.dirname, '../../server/launch.cjs')
const database = await createDatabase({ isEmpty: true })
const needed = needs('PostgreSQL', 'Redis')

const folder = mkdtempSync(join(tmpdir(), 'parley-workers-'))
let redis: Awaited<ReturnType<typeof startRedis>>
let environment: Record<string, string>
beforeAll(async () => {
  redis = await startRedis()
  environment = {
    DATABASE_URL: database?.url ?? '',
    REDIS_URL: redis.url,
    SECRET: 's'.repeat(32),
    DATA_DIR: folder,
    BASE_URL: 'http://parley.test',
  }
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await redis.stop()
  await database?.drop()
})

/** Starting a process takes seconds on a busy machine. */
const SLOW = { timeout: 60_000 }

/** Returns how often a process has begun to listen. */
const listening = (server: ServerProcess): number => server.output().split('Server listening').length - 1

/** Returns the ids of the processes that this one has started. */
const childrenOf = ({ pid }: ServerProcess): number[] =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number)

test.each([
  [['--workers', '2'], {}, '--workers requires DATABASE_URL'],
  [['--workers', 'many'], {}, '--workers must be a whole number from 1 to 256, or auto'],
  [['--worker'], {}, 'usage: parley start'],
])('start %j is refused with one line', async (args, extra, line) => {
  const { ended, output } = runCli(['start', ...args], { DATA_DIR: folder, ...extra }, folder)
  expect(await ended).toBe(1)
  expect(output()).toContain(line)
  expect(output().trim().split('\n')).toHaveLength(1)
})

test('start --workers on a port that is taken is refused with one line, before a process starts', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', REDIS_URL: 'redis://127.0.0.1:1' }
  const { ended, output } = runCli(
    ['start', '--workers', '2'],
    { DATA_DIR: folder, SECRET: 's'.repeat(32), HOST: '127.0.0.1', PORT: String(port), ...nowhere },
    folder,
  )
  expect(await ended).toBe(1)
  expect(output()).toBe(
    `parley: Another process uses port ${port}. Stop that process, or set another PORT.\n`,
  )
  taken.close()
})

test('--help explains --workers', async () => {
  const { ended, output } = runCli(['--help'], {}, folder)
  expect(await ended).toBe(0)
  expect(output()).toContain('--workers N')
})

test('a process beside others warns if it has no Redis', needed, async () => {
  const { REDIS_URL: _none, ...rest } = environment
  const server = await startProcess({ ...rest, ROLE: 'api' })
  expect(server.output()).toContain('REDIS_URL is not set, and other processes use this database')
  await server.stop()
})

test('three workers share a port, a killed one is restarted, and all stop together', {
  ...needed,
  timeout: 240_000,
}, async () => {
  const server = await startProcess(environment, [CLI, 'start', '--workers', '3'])
  await expect.poll(() => childrenOf(server)).toHaveLength(3)
  await expect.poll(() => listening(server), SLOW).toBe(3)
  expect(server.output().split('Sign in:')).toHaveLength(2)
  expect(server.output()).not.toContain('REDIS_URL is not set')

  const [victim = 0] = childrenOf(server)
  process.kill(victim, 'SIGKILL')
  await expect.poll(() => server.output()).toContain(`process ${victim} (ROLE=`)
  const person = await server.signUp()
  expect((await server.call('GET', '/api/users/me', { token: person.token })).status).toBe(200)
  await expect.poll(() => listening(server), SLOW).toBe(4)
  expect(childrenOf(server)).not.toContain(victim)
  expect(server.output().split('Sign in:')).toHaveLength(2)

  const workers = childrenOf(server)
  expect(await server.stop()).toBe(0)
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow()
})

import { randomBytes, randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { socketPathsOf } from '#database/embedded.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { startProcess } from '#tests/support/process.ts'
import { needs } from '#tests/support/programs.ts'
import { startTestServer } from '#tests/support/server.ts'
import { mountDisk, type SmallDisk } from '#tests/support/small-disk.ts'

/** Servers whose DATA_DIR is on a small file system of its own, which a file fills. */

const MB = 1024 ** 2

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function smallDisk(): SmallDisk {
  const disk = mountDisk()
  undo.push(disk.unmount)
  return disk
}

const EMBEDDED = { DATABASE_URL: '' }
/** Text that the database cannot compress. */
const noise = (length: number): string => randomBytes(length).toString('base64').slice(0, length)
const FULL = expect.stringContaining('The disk of the server is full')

describe('a full disk', needs('mount'), () => {
  test('fails readiness below 100 MB, and readiness returns with the space', async () => {
    const disk = smallDisk()
    const server = await startTestServer({ DATA_DIR: disk.folder, ...EMBEDDED })
    undo.push(server.stop)
    const { log } = server.server.services
    const [warn, info] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'info')]
    const isReady = async () => (await server.call('GET', '/readyz')).status
    const linesOf = (spy: typeof warn) => spy.mock.calls.filter(([, text]) => text?.startsWith('the disk'))
    expect(await isReady()).toBe(200)
    disk.leave(99)
    await expect.poll(isReady).toBe(503)
    const { body } = await server.call('GET', '/readyz')
    expect(body.detail).toMatch(/^The disk of the data folder has \d+ MB free, and the server needs 100 MB\./)
    await server.call('GET', '/metrics')
    expect(linesOf(warn)).toEqual([
      [{ folder: disk.folder, free_mb: expect.any(Number), needed_mb: 100 }, expect.anything()],
    ])
    const metrics = (await server.call('GET', '/metrics')).text
    const [, bytes] = /^parley_disk_free_bytes\{folder="data"\} (\d+)$/m.exec(metrics) ?? []
    expect(Number(bytes)).toBeLessThan(100 * MB)
    expect(Number(bytes)).toBeGreaterThan(90 * MB)
    disk.free()
    await expect.poll(isReady).toBe(200)
    expect(linesOf(info)).toHaveLength(1)
  })

  test('refuses an upload and a record with the reason, and stores both when there is space again', async () => {
    const disk = smallDisk()
    const server = await startTestServer({ DATA_DIR: disk.folder, ...EMBEDDED })
    undo.push(server.stop)
    const person = await server.signUp()
    const { token, organizationId } = person
    const upload = () => server.upload(person, { name: 'note.txt', bytes: 'words '.repeat(20_000) })
    const write = () =>
      server.call('POST', `/api/instructions/create?org_id=${organizationId}`, {
        token,
        body: { name: randomUUID(), content: noise(19_000) },
      })
    const expectAll = async (status: number, body: object) => {
      for (const attempt of [upload, write]) {
        await expect.poll(async () => (await attempt()).status).toBe(status)
        expect((await attempt()).body).toMatchObject(body)
      }
    }
    const full = { code: 'server.unavailable', detail: FULL }
    disk.leave(0)
    await expectAll(503, full)
    expect((await write()).headers.get('retry-after')).toBe('2')
    expect((await server.call('GET', `/api/chat/list?org_id=${organizationId}`, { token })).status).toBe(200)
    // Without the check before the request, the file system and PostgreSQL say the same.
    vi.spyOn(server.server.services.disks, 'assertWritable').mockImplementation(() => {})
    await expectAll(503, full)
    vi.restoreAllMocks()
    disk.free()
    await expectAll(201, { id: expect.anything() })
  })

  test('that stops the embedded database ends the process with the reason, and the next start recovers', async () => {
    const disk = smallDisk()
    await copyEmbedded(disk.folder)
    const environment = { DATA_DIR: disk.folder, BASE_URL: 'http://parley.test', LOG_LEVEL: 'warn' }
    const server = await startProcess(environment)
    undo.push(server.kill)
    const { email, password } = await server.signUp()
    const { socketPath: path } = socketPathsOf(disk.folder)
    const sql = postgres({ path, username: 'postgres', database: 'postgres', max: 1, onnotice() {} })
    disk.leave(0)
    // More than a file of the log. No other statement writes this much in the second until the server notices.
    const filled = (async () => {
      for (;;) await sql`select pg_logical_emit_message(false, 'test', repeat('x', 100000))`
    })()
    await expect(filled).rejects.toThrow()
    expect(await server.ended).toBe(1)
    expect(server.output()).toMatch(
      /The embedded database cannot continue: could not write .* No space left on device\. Free space/,
    )
    void sql.end({ timeout: 0 })
    disk.free()
    const heir = await startProcess(environment)
    undo.push(heir.stop)
    const signIn = await heir.call('POST', '/api/auth/login', { body: { email, password } })
    expect(signIn.status).toBe(200)
  }, 120_000)
})

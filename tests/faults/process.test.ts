import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { runCli, SHORT_GRACE, startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openLongReply } from '#tests/support/reader.ts'

/** The server process on the embedded database: its lock and its shutdown. */

const folder = mkdtempSync(join(tmpdir(), 'parley-process-'))
const environment = {
  DATA_DIR: join(folder, 'data'),
  BASE_URL: 'http://parley.test',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  ADMIN_PASSWORD: 'administrator',
}
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  await copyEmbedded(environment.DATA_DIR)
})
afterAll(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = async (args: string[], extra: Record<string, string> = {}, cwd = folder) => {
  const { ended, output } = runCli(args, { ...environment, ...extra }, cwd)
  return { code: await ended, output: output() }
}

describe('a server on the embedded database', () => {
  test('refuses a second server on its folder, names its address, and stores replies in progress when it stops', async () => {
    const server = await startProcess(environment)
    expect(server.output()).toContain('Console:   http://parley.test')
    expect(server.output()).toContain('curl ')
    const second = await run(['migrate'])
    expect(second.code).toBe(1)
    expect(second.output.trim().split('\n')).toHaveLength(1)
    expect(second.output).toContain('another process uses this data directory')
    expect(statSync(join(environment.DATA_DIR, 'secret')).mode & 0o077).toBe(0)

    expect(await server.stop()).toBe(0)

    const leaving = await startProcess(environment, [SHORT_GRACE])
    const { person, stream } = await openLongReply(leaving, provider)
    const [code, events] = await Promise.all([leaving.stop(), stream.take()])
    expect(code).toBe(0)
    expect(events.at(-1)?.data['error']).toContain('restarted')

    const heir = await startProcess(environment)
    const query = `org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
    const { body } = await heir.call('GET', `/api/chat?${query}`, { token: person.token })
    expect(body.messages[1]).toMatchObject({ status: 'error', finish_reason: null })
    expect(body.messages[1].content.length).toBeGreaterThan(10)
    await heir.stop()
  }, 240_000)
})

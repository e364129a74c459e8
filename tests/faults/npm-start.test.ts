import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '#tests/support/client.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { UNBUILT, UNLIMITED } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { openLongReply } from '#tests/support/reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-npm-'))
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

test('SIGTERM to npm lets the reply in progress finish and stops the server, and npm waits for it', async () => {
  const dataDir = join(folder, 'data')
  await copyEmbedded(dataDir)
  const port = await findFreePort()
  const npm = spawn('npm', ['start'], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      PORT: String(port),
      DATA_DIR: dataDir,
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
      npm_config_update_notifier: 'false',
      ...UNLIMITED,
      ...UNBUILT,
    },
    stdio: 'ignore',
  })
  const ended = once(npm, 'exit')
  const server = createClient(`http://127.0.0.1:${port}`)
  const isReady = () =>
    server.call('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true)
  const { stream } = await openLongReply(server, provider)
  npm.kill('SIGTERM')
  expect((await stream.take()).at(-1)?.data['error']).toBeUndefined()
  expect(await ended).toEqual([0, null])
  expect(await isReady()).toBe(false)
}, 120_000)

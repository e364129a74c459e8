import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { SHORT_GRACE, startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { openLongReply } from '#tests/support/reader.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'parley-restart-'))
const environment = {
  DATA_DIR: dataDir,
  BASE_URL: 'http://parley.test',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  ADMIN_PASSWORD: 'administrator',
}
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  await copyEmbedded(dataDir)
})
afterAll(async () => {
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('a server on the embedded database waits for a stopping one', async () => {
  const server = await startProcess(environment, [SHORT_GRACE])
  // The reply keeps the server running for its grace period after the signal.
  const { person } = await openLongReply(server, provider)
  const stopped = server.stop()
  const heir = await startProcess(environment)
  expect(await stopped).toBe(0)
  expect((await heir.call('GET', '/api/users/me', { token: person.token })).status).toBe(200)
  await heir.stop()
  expect(await (await startProcess(environment)).stop()).toBe(0)
}, 240_000)

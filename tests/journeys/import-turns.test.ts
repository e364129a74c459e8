import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Imports } from '#parts/data-rights/imports-system.ts'
import { importArchive } from '#tests/support/archives.ts'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Tests when an upload of an archive is refused, before any of it is written to disk. */

const GIB = 1024 ** 3
/** Long enough to observe on a busy machine that the slot is taken before it is released. */
const STALL_MS = 5_000

let server: TestServer
let impatient: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  impatient = await startTestServer({}, { stallMs: STALL_MS })
  person = await server.signUp()
})
afterAll(() => Promise.all([server.stop(), impatient.stop()]))

const begun: ClientRequest[] = []
afterEach(() => {
  for (const sending of begun.splice(0)) sending.destroy()
})

/** Starts to send an archive of one gigabyte. */
function beginImport(on: TestServer, { token }: Person): ClientRequest {
  const sending = request(`${on.url}/api/org/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(GIB),
    },
  }).on('error', () => {})
  begun.push(sending)
  sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nPK')
  return sending
}

/** Sends a small zip that isn't an export. If the server accepts the upload, it refuses the content. */
const statusOf = async (on: TestServer, by: Person): Promise<number> =>
  (await importArchive(on, by, Buffer.from('PK'))).status

/** Starts to send an archive and resolves once it has the slot. Retries while a probe has it. */
async function takeTurn(on: TestServer, by: Person): Promise<ClientRequest> {
  let sending: ClientRequest | null = null
  await expect
    .poll(() => {
      sending ??= beginImport(on, by).once('response', () => {
        sending = null
      })
      return statusOf(on, by)
    })
    .toBe(409)
  return sending as unknown as ClientRequest
}

describe('while an archive is uploaded', () => {
  test('another upload is refused until the sender disconnects', async () => {
    const first = await takeTurn(server, person)
    const [answer] = (await once(beginImport(server, await server.signUp()), 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([409, '30'])
    first.destroy()
    await expect.poll(() => statusOf(server, person)).toBe(400)
  })

  test('an upload that stalls loses its turn', async () => {
    const other = await impatient.signUp()
    const first = await takeTurn(impatient, other)
    await expect.poll(() => statusOf(impatient, other)).toBe(400)
    await expect.poll(() => first.destroyed).toBe(true)
  })
})

test('a user can upload at most 16 GiB per day in total', () => {
  const { jobs, instance, database } = server.server.services
  const imports = new Imports({ database, jobs, instance })
  for (let sent = 0; sent < 15; sent++) imports.admit('a').end(GIB)
  const last = imports.admit('a')
  expect(last.bytesMax).toBe(GIB)
  last.end(GIB)
  expect(() => imports.admit('a')).toThrow(/17179869184 bytes of imports per day\. Try again in 24 hours/)
  expect(imports.admit('b').bytesMax).toBe(2 * GIB)
})

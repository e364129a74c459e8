import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** A client may send a request before it has received the previous response (RFC 9112, 9.3.2). */

let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const addModel = (version: string): Promise<string> =>
  server.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1` },
  })

/** Returns the bytes of a send_message request. */
function requestOf(modelId: string, more: string[] = []): string {
  const body = JSON.stringify({ content: 'Hi' })
  const query = new URLSearchParams({ org_id: person.organizationId, model_id: modelId })
  return [
    `POST /api/chat/send_message?${query} HTTP/1.1`,
    'Host: parley.test',
    `Authorization: Bearer ${person.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...more,
    '',
    body,
  ].join('\r\n')
}

const openStreams = async (): Promise<number> => {
  const { text } = await server.call('GET', '/metrics')
  return Number(/^parley_streams_open (\d+)$/m.exec(text)?.[1])
}

test('two pipelined streams arrive completely, one after the other', async () => {
  const [slow, quick] = [await addModel('emu-n40-gap20'), await addModel('emu-n10')]
  const { socket } = await sendRaw(server.url, requestOf(slow) + requestOf(quick, ['Connection: close']))
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  await once(socket, 'close')
  const answers = text.split(/(?=HTTP\/1\.1 200 OK\r\n)/)
  expect(answers).toHaveLength(2)
  const tokens = answers.map((answer) => answer.match(/data: \{"message":/g)?.length)
  // One event per token, and one for DONE.
  expect(tokens).toEqual([41, 11])
  for (const answer of answers) expect(answer).toMatch(/"DONE"\}\n\n\r\n0\r\n\r\n$/)
})

test('a client that disconnects before its second response leaves no open stream', async () => {
  const slow = await addModel('emu-n200-gap20')
  const before = await openStreams()
  const { socket } = await sendRaw(server.url, requestOf(slow) + requestOf(slow))
  await expect.poll(openStreams).toBe(before + 2)
  socket.destroy()
  await expect.poll(openStreams).toBe(before)
})

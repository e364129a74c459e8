import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { type LoopbackServer, listen } from '#tests/support/mcp/index.ts'
import { ClientDocuments } from './client-documents.ts'

const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
let http: LoopbackServer
beforeAll(async () => {
  http = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
afterAll(async () => {
  await net.close()
  await http.close()
})

test('fetches are limited per network and in total', async () => {
  let address = '192.0.2.1'
  const documents = new ClientDocuments(
    () => net,
    () => address,
  )
  const countUntilRefused = async (): Promise<number> => {
    for (let count = 0; ; count++) if (!(await documents.fetch(http.url).catch(() => null))) return count
  }
  expect(await countUntilRefused()).toBe(20)
  address = '2001:db8:0:1::1'
  expect(await countUntilRefused()).toBe(20)
  address = '2001:db8:0:1::2'
  expect(await countUntilRefused()).toBe(0)
  address = '192.0.2.3'
  expect(await countUntilRefused()).toBe(20)
  address = '192.0.2.4'
  expect(await countUntilRefused()).toBe(0)
})

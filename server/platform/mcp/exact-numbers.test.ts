import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { McpConnections } from './connection.ts'

const FOREVER = new AbortController().signal
const PROGRESS = '0.10000000000000001'
const REQUEST_ID = '12345678901234567890'

/** Connects to a server whose tool reports progress, asks for a ping, and returns what it received when that is answered. */
async function connectToAsking() {
  const pinged = Promise.withResolvers<string>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id: requestId, method, params } = JSON.parse(body)
    const id = JSON.stringify(requestId)
    if (method === undefined) pinged.resolve(body)
    if (method === undefined || id === undefined) return void response.writeHead(202).end()
    const send = (message: string): unknown => response.write(`data: {"jsonrpc":"2.0",${message}}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (method === 'initialize')
      send(
        `"id":${id},"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
      )
    else if (method === 'tools/call') {
      const { progressToken } = params._meta
      send(
        `"method":"notifications/progress","params":{"progressToken":${progressToken},"progress":${PROGRESS},"total":1}`,
      )
      send(`"id":${REQUEST_ID},"method":"ping"`)
      const text = JSON.stringify(await pinged.promise)
      send(`"id":${id},"result":{"content":[{"type":"text","text":${text}}]}`)
    } else send(`"id":${id},"error":{"code":-32601,"message":"Method not found"}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
  onTestFinished(async () => {
    await connections.close()
    await net.close()
    server.close().closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return connections.open({ key: url, url, net: 'guarded', headers: async () => ({}) }, FOREVER)
}

test('long numbers reach what the SDK reads as numbers, and the ids of a server return as it wrote them', async () => {
  const connection = await connectToAsking()
  const told: unknown[] = []
  const result = await connection.callTool('x', {}, { signal: FOREVER, onProgress: (one) => told.push(one) })
  expect(told).toEqual([{ progress: 0.1, total: 1 }])
  expect(JSON.stringify(result.output).replaceAll('\\', '')).toContain(`"id":${REQUEST_ID}`)
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import {
  type Answering,
  capabilitiesOf,
  findTool,
  listResources,
  type Offered,
  pageOf,
  readResource,
} from './index.ts'

/** Handles each request independently, with version 2 of the MCP SDK. Supports protocol versions up to 2026-07-28. */
export function answerStatelessly(offered: Offered): Answering {
  const handler = createMcpHandler(() => createServer(offered))
  return {
    async answer(request, response, body) {
      const left = new AbortController()
      response.once('close', () => left.abort())
      const answer = await handler.fetch(asFetchRequest(request, left.signal), { parsedBody: body })
      await send(answer, response)
    },
    loseSessions: () => {},
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  }
}

function createServer(offered: Offered): Server {
  const server = new Server(
    { name: 'stateless', version: '1.0.0' },
    { capabilities: capabilitiesOf(offered) },
  )
  server.setRequestHandler('tools/list', (request) => pageOf(offered, request.params?.cursor))
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: input = {} } = request.params
    const progressToken = request.params._meta?.progressToken
    const result = await findTool(offered, name).run(input, {
      signal: context.mcpReq.signal,
      async progress(progress) {
        if (progressToken === undefined) return
        const params = { progressToken, ...progress }
        await context.mcpReq.notify({ method: 'notifications/progress', params })
      },
      toolsChanged: () => context.mcpReq.notify({ method: 'notifications/tools/list_changed' }),
    })
    return result as never
  })
  if (offered.resources.length > 0) {
    server.setRequestHandler('resources/list', () => listResources(offered))
    server.setRequestHandler('resources/read', ({ params }) => readResource(offered, params.uri))
  }
  return server
}

function asFetchRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  return new Request(url, { method: request.method ?? 'GET', headers, signal })
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void response.end()
  response.flushHeaders()
  await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => response.destroy())
}

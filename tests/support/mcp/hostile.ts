import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, readBody } from './index.ts'

export interface HostileRequest {
  /** The id of the JSON-RPC request. Undefined for a notification. */
  id: unknown
  method: string
  params: Record<string, unknown>
  request: IncomingMessage
  response: ServerResponse
  /** Sends a valid response with this result. */
  result(result: unknown): void
}

/** Hostile handlers by JSON-RPC method. The server handles all other methods correctly. */
export type Tricks = Record<string, (asked: HostileRequest) => unknown>

export interface HostileServer {
  url: string
  /** The methods of all requests, in the order of arrival. */
  asked: string[]
  /** Returns the number of sockets that the client has open. */
  countSockets(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts an MCP server of protocol version 2025-11-25 with hostile handlers. The server doesn't use an SDK, which
 * would prevent invalid messages.
 */
export async function startHostileServer(tricks: Tricks): Promise<HostileServer> {
  const asked: string[] = []
  const http = await listen(async (request, response) => {
    const body = (await readBody(request)) as { id?: unknown; method?: string; params?: object } | undefined
    const method = body?.method ?? request.method ?? ''
    asked.push(method)
    const one: HostileRequest = {
      id: body?.id,
      method,
      params: { ...body?.params },
      request,
      response,
      result: (result) => sendJson(response, { jsonrpc: '2.0', id: body?.id, result }),
    }
    const play = tricks[method] ?? tricks['*'] ?? ORDINARY[method]
    if (play) await play(one)
    else
      sendJson(
        response,
        { jsonrpc: '2.0', id: body?.id ?? null, error: UNKNOWN },
        body?.id == null ? 405 : 200,
      )
  })
  return { ...http, url: `${http.url}/mcp`, asked }
}

const UNKNOWN = { code: -32_601, message: 'Method not found' }

const ORDINARY: Tricks = {
  initialize: ({ result }) =>
    result({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'hostile', version: '1' },
    }),
  'notifications/initialized': ({ response }) => response.writeHead(202).end(),
  'notifications/cancelled': ({ response }) => response.writeHead(202).end(),
  'tools/list': ({ result }) => result({ tools: [] }),
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Begins an event stream. Returns a function that writes an event. */
export function beginEvents(response: ServerResponse): (message: unknown) => boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return (message) => response.write(`data: ${JSON.stringify(message)}\n\n`)
}

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isInitializeRequest, StreamableHTTPServerTransport } from '#tests/clients/mcp-server.ts'
import { createFirstSdkServer } from './first-sdk.ts'
import type { Answering, Offered } from './index.ts'

/** Handles requests with SDK 1: Streamable HTTP with one session per client. */
export function answerSessionfully(offered: Offered): Answering {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await createFirstSdkServer(offered).connect(transport as never)
    return transport
  }
  return {
    async answer(request, response, body) {
      const id = request.headers['mcp-session-id']
      if (id === undefined && !isInitializeRequest(body)) return refuse(response, 400)
      const transport = id === undefined ? await begin() : sessions.get(String(id))
      if (transport === undefined) return refuse(response, 404)
      await transport.handleRequest(request, response, body)
    },
    loseSessions: () => sessions.clear(),
    async close() {
      for (const transport of [...sessions.values()]) await transport.close()
    },
  }
}

function refuse(response: ServerResponse, status: 400 | 404): void {
  const message = status === 404 ? 'Session not found' : 'Bad Request: No valid session ID provided'
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

import { SSEServerTransport } from '#tests/clients/mcp-server.ts'
import { createFirstSdkServer } from './first-sdk.ts'
import type { Answering, Offered } from './index.ts'

/**
 * Handles requests with SDK 1: the HTTP+SSE transport of 2024-11-05, in which responses arrive on a separate event
 * stream. POST to /sse returns 405.
 */
export function answerBySse(offered: Offered): Answering {
  const sessions = new Map<string, SSEServerTransport>()
  return {
    async answer(request, response, body) {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback')
      if (pathname === '/sse' && request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response)
        sessions.set(transport.sessionId, transport)
        response.once('close', () => sessions.delete(transport.sessionId))
        await createFirstSdkServer(offered).connect(transport)
        return
      }
      const transport = sessions.get(searchParams.get('sessionId') ?? '')
      if (request.method === 'POST' && transport) await transport.handlePostMessage(request, response, body)
      else response.writeHead(pathname === '/sse' ? 405 : 404).end()
    },
    loseSessions: () => sessions.clear(),
    async close() {
      for (const transport of sessions.values()) await transport.close()
    },
  }
}

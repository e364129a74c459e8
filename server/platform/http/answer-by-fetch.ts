import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What answers by the words of the Fetch API; the request's body is given beside it, as JSON that is read. */
export type FetchHandler = (request: Request, body: unknown) => Promise<Response>

/**
 * Answers a request by what a library makes of it that knows Request and Response. A stream goes to the client as it
 * comes, and no faster than the client takes it; the request's signal is aborted when the client leaves.
 */
export async function answerByFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  handler: FetchHandler,
): Promise<void> {
  const left = new AbortController()
  // It may have left while it was found out who asks.
  if (reply.raw.destroyed) left.abort()
  else reply.raw.once('close', () => left.abort())
  const response = await handler(asFetchRequest(request, baseUrl, left.signal), request.body)
  reply.hijack()
  const headers = { ...reply.getHeaders(), ...Object.fromEntries(response.headers) } as OutgoingHttpHeaders
  reply.raw.writeHead(response.status, headers)
  if (response.body === null) {
    reply.raw.end()
    return
  }
  reply.raw.flushHeaders()
  // A client that leaves, or a stream that breaks, ends both; there is nobody left to tell.
  await pipeline(Readable.fromWeb(response.body as never), reply.raw).catch(() => reply.raw.destroy())
}

/** Without its body, which has been read. */
function asFetchRequest(request: FastifyRequest, baseUrl: string, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    for (const one of [value].flat()) headers.append(name, one)
  }
  return new Request(new URL(request.url, baseUrl), { method: request.method, headers, signal })
}

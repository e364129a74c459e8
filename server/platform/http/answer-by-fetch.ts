import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Handles a Fetch API request. `body` is the parsed JSON body. */
export type FetchHandler = (request: Request, body: unknown) => Promise<Response>

/**
 * Answers a request with a Fetch API handler. Streams the response at the client's pace. The request that the handler
 * receives has a signal that aborts when the client disconnects.
 */
export async function answerByFetch(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  handler: FetchHandler,
): Promise<void> {
  const left = new AbortController()
  // The client may have disconnected during authentication.
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
  // If the client disconnects or the stream fails, close both sides. An error response is no longer possible.
  await pipeline(Readable.fromWeb(response.body as never), reply.raw).catch(() => reply.raw.destroy())
}

/** Converts the request without its body, which Fastify has already read. */
function asFetchRequest(request: FastifyRequest, baseUrl: string, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    for (const one of [value].flat()) headers.append(name, one)
  }
  return new Request(new URL(request.url, baseUrl), { method: request.method, headers, signal })
}

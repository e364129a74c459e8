import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { Client } from '#platform/access/scope.ts'
import { hijackReply } from '#platform/http/hijack-reply.ts'
import { clientsOfRequests } from './authorization-server.ts'
import { SCOPE } from './metadata.ts'

/** Has oidc-provider handle a request. Adds headers that show the server's public address. */
export async function passToProvider(
  provider: Provider,
  baseUrl: string,
  request: IncomingMessage,
  reply: FastifyReply,
  client: Client,
): Promise<void> {
  const { protocol, host } = new URL(baseUrl)
  Object.assign(request.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host })
  clientsOfRequests.set(request, client)
  await provider.callback()(request, hijackReply(reply))
}

/** Accepted parameters of an authorization request. Other OpenID Connect parameters are dropped. */
const PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'redirect_uri',
  'resource',
  'response_type',
  'state',
]

/** Removes parameters that aren't accepted, and replaces the requested scopes by the only scope. */
export function withParameters(request: IncomingMessage): IncomingMessage {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const passed = [...searchParams].filter(([name]) => PARAMETERS.includes(name))
  request.url = `${pathname}?${new URLSearchParams([...passed, ['scope', SCOPE]])}`
  return request
}

/** Returns the request with this JSON body instead of its own. */
export function withBody(request: IncomingMessage, body: object): IncomingMessage {
  const bytes = Buffer.from(JSON.stringify(body))
  const { method, url, socket, httpVersion, httpVersionMajor, httpVersionMinor } = request
  const headers = {
    ...request.headers,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  }
  delete (headers as Record<string, unknown>)['transfer-encoding']
  return Object.assign(Readable.from([bytes], { objectMode: false }), {
    method,
    url,
    socket,
    headers,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
  }) as unknown as IncomingMessage
}

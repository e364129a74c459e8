import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '#config'
import { fail } from '#errors'
import { readCredential } from '#platform/access/credentials.ts'
import type { Caller } from '#platform/access/scope.ts'
import { clientOf } from '#platform/http/register-routes.ts'
import type { WebSockets } from '#platform/http/web-sockets.ts'
import type { Services } from '#platform/services.ts'
import type { Authenticate } from './live-sockets.ts'

/** Address of the WebSocket. Also available as `/v1/ws`, like every address under /api. */
const ADDRESS = '/api/ws'
/** Maximum size of a message. Small, because clients send only a token. */
const MESSAGE_BYTES_MAX = 8 * 1024

/**
 * Registers `GET /api/ws`, a WebSocket (RFC 6455). Clients send a token or API key with the upgrade request or in the
 * first message.
 */
export function registerLiveSockets(http: FastifyInstance, webSockets: WebSockets, services: Services): void {
  const { tokens, access, events, draining } = services
  const authenticate = async (request: FastifyRequest, headers = request.headers): Promise<Caller> =>
    access.openCaller({ credential: await readCredential(tokens, headers), client: clientOf(request) })

  webSockets.allow(ADDRESS)
  http.get(ADDRESS, async (request, reply) => {
    webSockets.check(request)
    draining.refuse()
    checkOrigin(request, services.config)
    const caller = showsCredential(request) ? await authenticate(request) : null
    const byToken: Authenticate = (token) => authenticate(request, { authorization: `Bearer ${token}` })
    await webSockets.accept(request, reply, {
      bytesMax: MESSAGE_BYTES_MAX,
      lastCheck: () => events.sockets.checkCapacity(caller?.userId ?? null),
      begin: (socket) => events.sockets.accept(socket, caller ?? byToken),
    })
  })
}

/**
 * Throws request.foreign_origin for pages that are not allowed to call the API. Only browsers send an origin (RFC
 * 6455, 10.2).
 */
function checkOrigin({ headers }: FastifyRequest, { baseUrl, frontendUrl, corsOrigins }: Config): void {
  const { origin } = headers
  if (origin === undefined) return
  const isOwn = URL.canParse(origin) && new URL(origin).host === headers.host
  const allowed = [new URL(baseUrl).origin, new URL(frontendUrl).origin, ...corsOrigins]
  if (!isOwn && !allowed.includes(origin)) throw fail('request.foreign_origin', { origin })
}

const showsCredential = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers['x-api-key'] !== undefined

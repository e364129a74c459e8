import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { WebSocketServer } from 'ws'
import type { Config } from '#config'
import { fail } from '#errors'
import { readCredential } from '#platform/access/credentials.ts'
import type { Caller } from '#platform/access/scope.ts'
import { hijackReply } from '#platform/http/hijack-reply.ts'
import { clientOf } from '#platform/http/register-routes.ts'
import type { Services } from '#platform/services.ts'
import type { Authenticate } from './live-sockets.ts'

/** Address of the WebSocket. Also available as `/v1/ws`, like every address under /api. */
const ADDRESS = '/api/ws'
/** Maximum size of a message. Small, because clients send only a token. */
const MESSAGE_BYTES_MAX = 8 * 1024
const FRAGMENTS_MAX = 64
/** Time for the client to respond to a close frame. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Options of the WebSocket server. A separate constant, because the types of `ws` lack some of these options and refuse
 * them in an object literal.
 */
const OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  maxFragments: FRAGMENTS_MAX,
  maxBufferedChunks: FRAGMENTS_MAX,
  closeTimeout: CLOSE_TIMEOUT_MS,
}

interface Upgrade {
  socket: Socket
  head: Buffer
  response: ServerResponse
}

/**
 * Registers `GET /api/ws`, a WebSocket (RFC 6455). Clients send a token or API key with the upgrade request or in the
 * first message. The upgrade request passes through Fastify like any other request, so refusals are ordinary error
 * responses.
 */
export function registerLiveSockets(http: FastifyInstance, services: Services): void {
  const { tokens, access, events, draining } = services
  const upgrades = new WeakMap<IncomingMessage, Upgrade>()
  let server: Promise<WebSocketServer> | undefined

  http.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', ignoreError)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    upgrades.set(request, { socket, head, response })
    http.routing(request, response)
  })

  http.addHook('onRequest', async (request) => {
    if (upgrades.has(request.raw) && request.routeOptions.url !== ADDRESS)
      throw fail('request.not_found', {
        method: request.method,
        path: request.originalUrl.split('?')[0] ?? '',
      })
  })

  const authenticate = async (request: FastifyRequest, headers = request.headers): Promise<Caller> =>
    access.openCaller({ credential: await readCredential(tokens, headers), client: clientOf(request) })

  http.get(ADDRESS, async (request, reply) => {
    const upgrade = upgrades.get(request.raw)
    if (!upgrade) throw fail('request.upgrade_needed')
    draining.refuse()
    checkOrigin(request, services.config)
    const caller = showsCredential(request) ? await authenticate(request) : null
    server ??= openWebSocketServer((request) => upgrades.get(request)?.response)
    const webSockets = await server
    events.sockets.checkCapacity(caller?.userId ?? null)

    hijackReply(reply)
    const { socket, head, response } = upgrade
    response.detachSocket(socket)
    response.statusCode = 101
    // Ends the request for logs and metrics. Without its socket, the response would never emit this event itself.
    response.emit('close')
    socket.off('error', ignoreError)
    const byToken: Authenticate = (token) => authenticate(request, { authorization: `Bearer ${token}` })
    webSockets.handleUpgrade(request.raw, socket, head, (webSocket) =>
      events.sockets.accept(webSocket, caller ?? byToken),
    )
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

/**
 * Imports `ws` on first use, because the package is slow to load and most processes start without WebSocket clients.
 */
async function openWebSocketServer(
  responseTo: (request: IncomingMessage) => ServerResponse | undefined,
): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer(OPTIONS)
  server.on('headers', (lines, request) => {
    for (const [name, value] of Object.entries(responseTo(request)?.getHeaders() ?? {}))
      lines.push(`${name}: ${value}`)
  })
  return server
}

/** A socket that fails before the upgrade cannot receive a response. Node closes it. */
const ignoreError = (): void => {}

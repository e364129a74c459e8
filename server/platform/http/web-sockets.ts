import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import { fail } from '#errors'
import { hijackReply } from './hijack-reply.ts'

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
  maxFragments: FRAGMENTS_MAX,
  maxBufferedChunks: FRAGMENTS_MAX,
  closeTimeout: CLOSE_TIMEOUT_MS,
}

interface Upgrade {
  socket: Socket
  head: Buffer
  response: ServerResponse
}

interface Acceptance {
  /** Maximum size of a message in bytes. */
  bytesMax: number
  /** Called when nothing but its error can refuse the request any more. */
  lastCheck(): void
  /** Called with the socket before its first message. Not called if the handshake is invalid. */
  begin(socket: WebSocket): void
}

/**
 * Upgrades requests to WebSockets (RFC 6455). An upgrade request passes through Fastify like any other request, so
 * refusals are ordinary error responses.
 */
export class WebSockets {
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>()
  readonly #urls = new Set<string>()
  readonly #servers = new Map<number, Promise<WebSocketServer>>()

  constructor(http: FastifyInstance) {
    http.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', ignoreError)
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket)
      response.once('finish', () => socket.destroySoon())
      this.#upgrades.set(request, { socket, head, response })
      http.routing(request, response)
    })
    http.addHook('onRequest', async (request) => {
      const { url = '' } = request.routeOptions
      if (this.#upgrades.has(request.raw) && !(this.#urls.has(url) && request.method === 'GET'))
        throw fail('request.not_found', {
          method: request.method,
          path: request.originalUrl.split('?')[0] ?? '',
        })
    })
  }

  /** Allows upgrades of GET requests at this URL. */
  allow(url: string): void {
    this.#urls.add(url)
  }

  /** Throws request.upgrade_needed for a request that is no upgrade. */
  check(request: FastifyRequest): void {
    if (!this.#upgrades.has(request.raw)) throw fail('request.upgrade_needed')
  }

  /** Upgrades a request that `check` has accepted. */
  async accept(request: FastifyRequest, reply: FastifyReply, acceptance: Acceptance): Promise<void> {
    const { bytesMax, lastCheck, begin } = acceptance
    const { socket, head, response } = this.#upgrades.get(request.raw) as Upgrade
    const server = await this.#serverFor(bytesMax)
    lastCheck()
    hijackReply(reply)
    response.detachSocket(socket)
    response.statusCode = 101
    // Ends the request for logs and metrics. Without its socket, the response would never emit this event itself.
    response.emit('close')
    socket.off('error', ignoreError)
    server.handleUpgrade(request.raw, socket, head, begin)
  }

  /**
   * Returns a server for messages of up to `bytesMax` bytes. Imports `ws` on first use, because the package is slow to
   * load and most processes start without WebSocket clients.
   */
  #serverFor(bytesMax: number): Promise<WebSocketServer> {
    const open = async (): Promise<WebSocketServer> => {
      const { WebSocketServer } = await import('ws')
      const server = new WebSocketServer({ ...OPTIONS, maxPayload: bytesMax })
      server.on('headers', (lines, request) => {
        for (const [name, value] of Object.entries(this.#upgrades.get(request)?.response.getHeaders() ?? {}))
          lines.push(`${name}: ${value}`)
      })
      return server
    }
    const server = this.#servers.get(bytesMax) ?? open()
    this.#servers.set(bytesMax, server)
    return server
  }
}

/** A socket that fails before the upgrade cannot receive a response. Node closes it. */
const ignoreError = (): void => {}

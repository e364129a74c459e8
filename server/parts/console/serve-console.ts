import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#config'
import { acceptsCoding, prefers } from '#platform/http/accept.ts'
import type { Console } from './console.ts'
import type { ConsoleFile } from './console-files.ts'
import {
  buildingPage,
  consolePolicy,
  missingPage,
  noticePolicy,
  pageHeaders,
  RELOAD_SECONDS,
} from './console-pages.ts'

const METHODS = ['GET', 'HEAD']
/** Paths that never show the console. An unknown path among them gets a JSON error, even in a browser. */
const NOT_PAGES =
  /^(?:api|v1|openai|docs|files|embed|assets|oauth|dev|\.well-known|mcp(?!\/callback$))(?:\/|$)/
/** Suitable for assets only, because their names contain a hash of their content. */
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable'
const NONCE_BYTES = 16

type Anything = { Params: { '*': string } }

/** Serves the console at `/`: the built files by path, and the console's page for all other browser navigation. */
export function registerConsole(http: FastifyInstance, console: Console, config: Config): void {
  http.route<Anything>({
    method: METHODS,
    url: '/assets/*',
    config: { isUncounted: true },
    async handler(request, reply) {
      const file = await findFile(console, `assets/${request.params['*']}`)
      if (!file) return notFound(reply)
      return sendFile(request, reply.header('Cache-Control', KEPT_FOR_EVER), file)
    },
  })

  http.route<Anything>({
    method: METHODS,
    url: '/*',
    async handler(request, reply) {
      const path = request.params['*']
      if (NOT_PAGES.test(path)) return notFound(reply)
      const file = await findFile(console, path)
      if (file) return sendFile(request, reply.header('Cache-Control', 'no-cache'), file)
      if (!wantsPage(path, request.headers.accept)) return notFound(reply)
      return sendPage(reply, console, config)
    },
  })
}

async function findFile(console: Console, path: string): Promise<ConsoleFile | undefined> {
  const state = await console.state()
  return state.is === 'ready' ? state.files.files.get(path) : undefined
}

/**
 * Browsers accept HTML when they navigate (RFC 9110, 12.5.1). Clients that accept anything get only the start
 * page.
 */
const wantsPage = (path: string, accept = '*/*'): boolean =>
  prefers('text/html', accept) || (path === '' && accept.trim() === '*/*')

async function sendPage(reply: FastifyReply, console: Console, config: Config): Promise<FastifyReply> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const state = await console.state()
  reply.type('text/html; charset=utf-8')
  if (state.is === 'ready')
    return reply
      .headers({ ...pageHeaders(consolePolicy(config, nonce)), 'Cache-Control': 'no-cache' })
      .send(state.files.page(nonce))
  return reply
    .code(503)
    .headers({
      ...pageHeaders(noticePolicy(nonce)),
      'Cache-Control': 'no-store',
      'Retry-After': String(RELOAD_SECONDS),
    })
    .send(state.is === 'building' ? buildingPage(nonce) : missingPage(nonce, state.reason))
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { contentType, bytes, codings }: ConsoleFile,
): FastifyReply {
  reply.type(contentType).header('X-Content-Type-Options', 'nosniff')
  if (codings.length === 0) return reply.send(bytes)
  reply.header('Vary', 'Accept-Encoding')
  const coding = codings.find(({ name }) => acceptsCoding(name, headers['accept-encoding']))
  return coding ? reply.header('Content-Encoding', coding.name).send(coding.bytes) : reply.send(bytes)
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

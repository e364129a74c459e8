import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UUID } from '#database/new-id.ts'
import { fail } from '#errors'
import { acceptsCoding } from '#platform/http/accept.ts'
import type { FindPublicDeployment, PublicDeployment } from './public-deployments-system.ts'
import { createWidgetFiles, zipText } from './widget-files.ts'
import { chatPage, contentPolicy, loaderScript, noticePage } from './widget-pages.ts'
import type { WidgetText } from './widget-text.ts'

/** Maximum time before browsers show a changed color or placement. */
const LOADER_CACHE_SECONDS = 300
const SCRIPT = 'text/javascript; charset=utf-8'
const PAGE = 'text/html; charset=utf-8'
const FEATURES = 'clipboard-write=(self), camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/** Registers /widget.js and /embed, which embed the chat in pages of other sites. */
export function registerWidget(
  http: FastifyInstance,
  { findPublicDeployment }: { findPublicDeployment: FindPublicDeployment },
): void {
  const filesOf = createWidgetFiles()
  const find = async (id: unknown): Promise<PublicDeployment | null> =>
    typeof id === 'string' && UUID.test(id) ? findPublicDeployment(id) : null

  http.get<{ Querystring: { deployment?: unknown } }>('/widget.js', async (request, reply) => {
    const deployment = await find(request.query.deployment)
    reply.type(SCRIPT).headers({
      // Pages with Cross-Origin-Embedder-Policy load the script only with this header.
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    })
    if (deployment === null) return reply.code(404).send('/* This chat does not exist. */\n')
    if (deployment.status !== 'active') return reply.send('/* This chat is closed right now. */\n')
    const [files, text] = await Promise.all([filesOf(), textOf(request)])
    const script = loaderScript(files, deployment, text)
    reply.header('Cache-Control', `public, max-age=${LOADER_CACHE_SECONDS}`)
    reply.header('Vary', 'Accept-Language')
    return sendZipped(request, reply, Buffer.from(script), () => zipText(script))
  })

  http.get<{ Params: { id: string }; Querystring: { preview?: unknown } }>(
    '/embed/:id',
    async (request, reply) => {
      const [deployment, files, text] = await Promise.all([
        find(request.params.id),
        filesOf(),
        textOf(request),
      ])
      reply.type(PAGE).headers({
        'Content-Security-Policy': contentPolicy(deployment?.config, {
          isPreview: request.query.preview !== undefined,
        }),
        'Permissions-Policy': FEATURES,
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'no-cache',
        Vary: 'Accept-Language',
      })
      if (deployment === null) return reply.code(404).send(noticePage(files, text, 'unknown'))
      if (deployment.status !== 'active') return reply.code(403).send(noticePage(files, text, 'closed'))
      return reply.send(chatPage(files, deployment, text))
    },
  )

  http.get<{ Params: { file: string } }>('/embed/assets/:file', async (request, reply) => {
    const { assets } = await filesOf()
    const asset = assets.get(request.params.file)
    if (!asset)
      throw fail('request.not_found', { method: 'GET', path: `/embed/assets/${request.params.file}` })
    reply.type(asset.contentType).headers({
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
    return sendZipped(request, reply, asset.bytes, async () => asset.zipped)
  })
}

/** Imports the widget's messages and their formatter on demand, when the first visitor arrives. */
const textOf = async ({ headers }: FastifyRequest): Promise<WidgetText> =>
  (await import('./widget-text.ts')).textFor(headers['accept-language'])

async function sendZipped(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
  zip: () => Promise<Buffer>,
): Promise<FastifyReply> {
  reply.header('Vary', [reply.getHeader('Vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
  if (!acceptsCoding('gzip', request.headers['accept-encoding'])) return reply.send(bytes)
  return reply.header('Content-Encoding', 'gzip').send(await zip())
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UUID } from '#database/new-id.ts'
import { fail } from '#errors'
import { acceptsCoding } from '#platform/http/accept.ts'
import type { FindPublicDeployment, PublicDeployment } from './public-deployments-system.ts'
import { createWidgetFiles, zipText } from './widget-files.ts'
import { chatPage, contentPolicy, loaderScript, noticePage } from './widget-pages.ts'

/** Maximum delay until a changed color or placement is visible. */
const LOADER_CACHE_SECONDS = 300
const SCRIPT = 'text/javascript; charset=utf-8'
const PAGE = 'text/html; charset=utf-8'
const FEATURES = 'clipboard-write=(self), camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/** Routes /widget.js and /embed: the chat for other sites' pages (contract, 10). */
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
      // Required by isolated pages (Cross-Origin-Embedder-Policy).
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    })
    if (deployment === null) return reply.code(404).send('/* There is no such chat. */\n')
    if (deployment.status !== 'active') return reply.send('/* This chat is closed at the moment. */\n')
    const script = loaderScript(await filesOf(), deployment)
    reply.header('Cache-Control', `public, max-age=${LOADER_CACHE_SECONDS}`)
    return sendZipped(request, reply, Buffer.from(script), () => zipText(script))
  })

  http.get<{ Params: { id: string } }>('/embed/:id', async (request, reply) => {
    const [deployment, files] = await Promise.all([find(request.params.id), filesOf()])
    reply.type(PAGE).headers({
      'Content-Security-Policy': contentPolicy(deployment?.config),
      'Permissions-Policy': FEATURES,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    })
    if (deployment === null)
      return reply.code(404).send(noticePage(files, 'No chat here', 'This chat does not exist any more.'))
    if (deployment.status !== 'active')
      return reply.code(403).send(noticePage(files, 'Closed', 'This chat is closed at the moment.'))
    return reply.send(chatPage(files, deployment))
  })

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

async function sendZipped(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
  zip: () => Promise<Buffer>,
): Promise<FastifyReply> {
  reply.header('Vary', 'Accept-Encoding')
  if (!acceptsCoding('gzip', request.headers['accept-encoding'])) return reply.send(bytes)
  return reply.header('Content-Encoding', 'gzip').send(await zip())
}

import send from '@fastify/send'
import type { FastifyInstance } from 'fastify'
import { fail } from '#errors'
import { dispositionOf, pathOf } from './addresses.ts'
import type { Storage } from './storage.ts'
import type { Uploads } from './uploads.ts'

const CACHE_SECONDS = 3_600
/** Prevents a displayed file from running scripts and from loading other resources. */
const CONTENT_POLICY = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'"

/**
 * Serves the files in DATA_DIR under /files to clients that have a signed URL. Supports Range, HEAD and conditional
 * requests (RFC 9110).
 */
export function registerFiles(
  app: FastifyInstance,
  { storage: { signed }, uploads }: { storage: Storage; uploads: Pick<Uploads, 'isDeleted'> },
): void {
  if (!signed) return
  app.route<{ Params: { '*': string }; Querystring: Record<string, unknown> }>({
    method: ['GET', 'HEAD'],
    url: '/files/*',
    async handler(request, reply) {
      const { type: contentType, expires, signature } = request.query
      const key = request.params['*']
      if (typeof contentType !== 'string' || typeof expires !== 'string' || typeof signature !== 'string')
        throw fail('file.link_invalid')
      const file = { key, contentType }
      if (!signed.isSigned(file, expires, signature)) throw fail('file.link_invalid')
      if (await uploads.isDeleted(key)) throw fail('file.not_found', { value: key })
      const { type, statusCode, headers, stream } = await send(request.raw, `/${pathOf(key)}`, {
        root: signed.root,
        index: false,
        dotfiles: 'allow',
        contentType: false,
        cacheControl: false,
      })
      if (type !== 'file' && statusCode === 404) throw fail('file.not_found', { value: key })
      return (
        reply
          .code(statusCode)
          .headers({
            ...headers,
            'Content-Type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
            'Content-Disposition': dispositionOf(file),
            'Content-Security-Policy': CONTENT_POLICY,
            'X-Content-Type-Options': 'nosniff',
            'Cache-Control': `private, max-age=${CACHE_SECONDS}`,
          })
          // Omit the library's HTML error page. The status is enough.
          .send(type === 'file' ? stream : '')
      )
    },
  })
}

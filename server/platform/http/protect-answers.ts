import type { FastifyInstance } from 'fastify'
import type { Config } from '#config'

const YEAR_SECONDS = 31_536_000

/**
 * Returns the default security headers. They prevent display as a page, caching and type sniffing, and enable HSTS if
 * BASE_URL uses https. Pages and files override the content security policy and caching.
 */
export function protectionHeaders({ baseUrl }: Pick<Config, 'baseUrl'>): Record<string, string> {
  return {
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    ...(new URL(baseUrl).protocol === 'https:' && {
      'Strict-Transport-Security': `max-age=${YEAR_SECONDS}`,
    }),
  }
}

export function protectAnswers(http: FastifyInstance, config: Pick<Config, 'baseUrl'>): void {
  const headers = protectionHeaders(config)
  http.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}

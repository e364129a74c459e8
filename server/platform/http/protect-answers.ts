import type { FastifyInstance } from 'fastify'
import type { Config } from '#config'

const YEAR_SECONDS = 31_536_000

/**
 * Headers of every answer that no route replaces: browsers show none of it as a page, keep none of it, guess no type,
 * and use https alone where BASE_URL does. Pages and files set a policy and a life of their own.
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

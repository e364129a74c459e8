import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UUID } from '#database/new-id.ts'
import { AppError, fail, sentence } from '#errors'
import { readCredential } from '#platform/access/credentials.ts'
import { answerByFetch } from '#platform/http/answer-by-fetch.ts'
import { BODY, bodyOptions } from '#platform/http/body-limits.ts'
import { clientOf } from '#platform/http/register-routes.ts'
import { isInvalidCredential } from '#platform/http/send-error.ts'
import { takeTurn } from '#platform/http/take-turn.ts'
import { checkSender } from '#platform/mcp/check-sender.ts'
import type { Exchange } from './consent.ts'
import { consentPage, errorPage, PAGE_FILES, PAGE_HEADERS } from './consent-page.ts'
import type { McpServer } from './index.ts'
import {
  authorizationServer,
  challenge,
  OAUTH_PATHS,
  protectedResource,
  RESOURCE_METADATA_PATH,
} from './metadata.ts'
import { openMcpCaller, readMcpCredential } from './open-caller.ts'
import { passToProvider, withBody, withParameters } from './pass-to-provider.ts'
import { RegistrationError, readRegistration } from './registration.ts'

/** @limit registration of a client */
const REGISTRATION_BYTES_MAX = 32 * 1024
const REGISTRATION_RETRY_SECONDS = 3_600
const METADATA_CACHE_SECONDS = 300

export function registerMcpServer(http: FastifyInstance, server: McpServer): void {
  registerEndpoint(http, server)
  registerMetadata(http, server)
  registerAuthorization(http, server)
  registerConsent(http, server)
}

function registerEndpoint(http: FastifyInstance, { services, records, answer }: McpServer): void {
  const { baseUrl } = services.config
  http.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    ...bodyOptions(BODY, true),
    async onRequest(request, reply) {
      checkSender(services.config, request.headers)
      request.credential = await readMcpCredential(services, records, request.headers).catch(
        challenged(reply),
      )
    },
    async handler(request, reply) {
      if (request.credential === null) throw fail('auth.missing')
      const { org_id: orgId } = request.query as { org_id?: unknown }
      const caller = await openMcpCaller(services, request.credential, clientOf(request), orgId).catch(
        challenged(reply),
      )
      await takeTurn(services.stalls, request, reply)
      await answerByFetch(request, reply, baseUrl, answer(caller))
    },
  })

  /**
   * Returns a handler for `.catch(…)` that adds the WWW-Authenticate header to 401 responses. Clients learn from it
   * where to authorize.
   */
  function challenged(reply: FastifyReply): (error: unknown) => never {
    return (error) => {
      if (error instanceof AppError && error.status === 401)
        reply.header('WWW-Authenticate', challenge(baseUrl, isInvalidCredential(error.code)))
      throw error
    }
  }
}

function registerMetadata(http: FastifyInstance, { services }: McpServer): void {
  const { baseUrl } = services.config
  const documents: [string, object][] = [
    [`${RESOURCE_METADATA_PATH}/mcp`, protectedResource(baseUrl)],
    [RESOURCE_METADATA_PATH, protectedResource(baseUrl)],
    ['/.well-known/oauth-authorization-server', authorizationServer(baseUrl)],
    ['/.well-known/oauth-authorization-server/mcp', authorizationServer(baseUrl)],
  ]
  for (const [url, document] of documents)
    http.get(url, (_request, reply) =>
      reply
        .headers({
          'Access-Control-Allow-Origin': '*',
          'Cache-Control': `public, max-age=${METADATA_CACHE_SECONDS}`,
        })
        .send(document),
    )
}

function registerAuthorization(http: FastifyInstance, { services, records, openProvider }: McpServer): void {
  const pass = async (request: FastifyRequest, reply: FastifyReply, raw = request.raw): Promise<void> =>
    passToProvider(await openProvider(), services.config.baseUrl, raw, reply, clientOf(request))

  http.get(OAUTH_PATHS.authorization, (request, reply) => pass(request, reply, withParameters(request.raw)))
  http.get(`${OAUTH_PATHS.authorization}/:id`, (request, reply) => pass(request, reply))
  http.register(async (scope) => {
    // oidc-provider parses form bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.post(OAUTH_PATHS.token, (request, reply) => pass(request, reply))
    scope.post(OAUTH_PATHS.revocation, (request, reply) => pass(request, reply))
  })
  http.post(
    OAUTH_PATHS.registration,
    { bodyLimit: REGISTRATION_BYTES_MAX },
    async (request, reply): Promise<unknown> => {
      try {
        const metadata = readRegistration(request.body)
        if (await records.admitRegistration(request.address))
          return pass(request, reply, withBody(request.raw, metadata))
        return reply.code(429).header('Retry-After', String(REGISTRATION_RETRY_SECONDS)).send({
          error: 'temporarily_unavailable',
          error_description: 'Too many registrations. Try again later.',
        })
      } catch (error) {
        if (!(error instanceof RegistrationError)) throw error
        return reply.code(400).send({ error: error.code, error_description: error.message })
      }
    },
  )
}

type ForOne = { Params: { id: string } }

function registerConsent(http: FastifyInstance, { services, consent }: McpServer): void {
  const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
    request: request.raw,
    response: reply.raw,
    id: (request.params as ForOne['Params']).id,
  })
  for (const [name, { type, content }] of Object.entries(PAGE_FILES))
    http.get(`${OAUTH_PATHS.consent}/${name}`, (_request, reply) =>
      reply
        .type(type)
        .headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' })
        .send(content),
    )

  http.get<ForOne>(`${OAUTH_PATHS.consent}/:id`, async (request, reply) => {
    reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS)
    try {
      return reply.send(consentPage(await consent.describe(exchangeOf(request, reply))))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return reply.code(error.status).send(errorPage(error.message))
    }
  })
  http.post<ForOne>(`${OAUTH_PATHS.consent}/:id/allow`, async (request, reply) => {
    const credential = await readCredential(services.tokens, request.headers)
    const { organization_id: organizationId } = (request.body ?? {}) as { organization_id?: unknown }
    if (typeof organizationId !== 'string' || !UUID.test(organizationId))
      throw fail('request.invalid', { reason: sentence('oauth.organization_id') })
    return consent.allow(
      exchangeOf(request, reply),
      { credential, client: clientOf(request) },
      organizationId.toLowerCase(),
    )
  })
  http.post<ForOne>(`${OAUTH_PATHS.consent}/:id/deny`, async (request, reply) =>
    consent.deny(exchangeOf(request, reply)),
  )
}

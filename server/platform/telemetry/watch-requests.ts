import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { PROBES } from './health.ts'
import { NAMES } from './names.ts'
import { describeWork, type RunningWork, within } from './running.ts'
import type { Span, Tracing } from './tracing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route may answer with an event stream, which takes as long as a model writes. */
    mayStream?: boolean
  }
  interface FastifyRequest {
    work: RunningWork
  }
}

/** Adds the request id to each response. Measures, logs and traces each request until its response ends. */
export function watchRequests(
  http: FastifyInstance,
  { metrics, tracing }: Pick<Services, 'metrics' | 'tracing'>,
): void {
  nameRequests(http)
  const spans = new WeakMap<FastifyRequest, Span>()
  if (tracing) traceRequests(http, tracing, spans)
  http.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    reply.raw.once('close', () => {
      const span = spans.get(request)
      if (!span) return observe(metrics, request, reply)
      span.within(() => observe(metrics, request, reply))
      const { statusCode } = reply.raw
      span.set({ [NAMES.statusCode]: statusCode })
      span.end(statusCode >= 500 ? String(statusCode) : undefined)
    })
  })
}

/** Names the work of each request for the stall watch (running.ts). */
function nameRequests(http: FastifyInstance): void {
  http.decorateRequest('work')
  http.addHook('onRequest', (request, reply, done) => {
    request.work = describeWork(
      `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
      null,
      request.id,
    )
    reply.raw.once('close', () => {
      request.work.hasEnded = true
    })
    within(request.work, done)
  })
  // Enter the work again, because the socket events that deliver a body run outside it.
  http.addHook('preValidation', (request, _reply, done) => within(request.work, done))
}

function observe(metrics: Services['metrics'], request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? 'unknown'
  const status = reply.raw.statusCode
  const kind = request.routeOptions.config.mayStream ? 'stream' : 'request'
  metrics.requests.observe({ method: request.method, route, status, kind }, reply.elapsedTime / 1000)
  const { userId, organizationId } = request.work ?? {}
  const line = {
    method: request.method,
    route,
    status,
    ms: Math.round(reply.elapsedTime),
    ...(userId && { user_id: userId }),
    ...(organizationId && { organization_id: organizationId }),
    ...(request.address && { address: request.address }),
  }
  request.log.info(line, 'request')
}

function traceRequests(http: FastifyInstance, tracing: Tracing, spans: WeakMap<FastifyRequest, Span>): void {
  http.addHook('onRequest', (request, _reply, done) => {
    const { method, id, headers } = request
    const route = request.routeOptions.url
    if (route !== undefined && PROBES.includes(route)) return done()
    const span = tracing.begin({
      name: route === undefined ? method : `${method} ${route}`,
      kind: 'server',
      from: headers,
      attributes: {
        [NAMES.method]: method,
        [NAMES.requestId]: id,
        // Omit the path of an unknown route and of a route with parameters, because it may contain user data such as
        // file names.
        ...(route !== undefined && { [NAMES.route]: route }),
        ...(route !== undefined && !/[:*]/.test(route) && { [NAMES.path]: pathOf(request.originalUrl) }),
      },
    })
    spans.set(request, span)
    span.within(done)
  })
  // Enter the span again, because the socket events that deliver a body run outside any span.
  http.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.within(done)
    else done()
  })
}

const pathOf = (address: string): string => address.split('?')[0] ?? ''

/** Wraps each route's handler in a span. */
export const traceHandlers = (routes: readonly Route[], tracing: Tracing): Route[] =>
  routes.map((route) => {
    const part = /^\/(?:api\/)?([^/]+)/.exec(route.url)?.[1] ?? ''
    const described = { name: route.url, attributes: { [NAMES.part]: part } }
    return { ...route, handler: (input) => tracing.span(described, () => route.handler(input)) }
  })

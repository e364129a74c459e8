import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { findLanguage } from '@parley/messages/languages'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { TSchema } from 'typebox'
import type { Config } from '#config'
import { AppError, fail, sentence } from '#errors'
import type { AccessDependencies } from '#platform/access/access.ts'
import type { AccessTokens } from '#platform/access/access-tokens.ts'
import { type Credential, readCredential } from '#platform/access/credentials.ts'
import { isOrganizationKnown } from '#platform/access/organization-of-request.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Client, Scope } from '#platform/access/scope.ts'
import type { Idempotency } from '#platform/idempotency/idempotency.ts'
import { contentDisposition } from '#platform/storage/addresses.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import type { Stalls } from '#platform/telemetry/stalls.ts'
import { acceptedLanguages } from './accept.ts'
import { answerOnce, isKeyed } from './answer-once.ts'
import { bodyLimitsOf, bodyOptions } from './body-limits.ts'
import { readCookie } from './cookies.ts'
import {
  type EventStream,
  type File,
  type FileStream,
  isAllowedWhileSuspended,
  isEventStream,
  type Redirect,
  type Route,
  type RouteInput,
  type Upload,
  type UploadAdmission,
} from './define-route.ts'
import { disconnectSignal } from './disconnect-signal.ts'
import type { Draining } from './draining.ts'
import { enveloped } from './envelope.ts'
import { checkStorable } from './json-body.ts'
import { queryOf } from './query-of.ts'
import { type ReceivedFile, receiveFile } from './receive-file.ts'
import type { SocketRoute } from './register-sockets.ts'
import { sendEvents } from './send-events.ts'
import { takeTurn } from './take-turn.ts'
import { dropUnchanged } from './unchanged-fields.ts'
import { compileValidator, validationError } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request is under /v1, so that the response uses the envelope. */
    enveloped: boolean
    credential: Credential | null
    /** Null until the request's organization is known. */
    identity: Identity | null
  }
}

export type Identity = Pick<RouteInput, 'caller' | 'scope' | 'scopes' | 'lacking' | 'deployment'>

/** Maximum stored length of a User-Agent. */
const USER_AGENT_MAX = 300

interface Dependencies {
  tokens: AccessTokens
  access: AccessDependencies
  idempotency: Idempotency
  config: Pick<Config, 'dataDir' | 'maxUploadBytes'>
  /** Milliseconds without progress after which a client that sends a file is disconnected. */
  stallMs: number
  metrics: Pick<Metrics, 'streamsOpen'>
  draining: Draining
  stalls: Pick<Stalls, 'limit'>
}

/**
 * Registers the routes with Fastify. A request is authenticated, authorized, validated and handled, in this order. A
 * client without access gets 401, 403 or 404 as soon as the request's organization is known, regardless of the body.
 */
export function registerRoutes(
  app: FastifyInstance,
  deps: Dependencies,
  routes: readonly Route[],
  sockets: readonly Pick<SocketRoute, 'url'>[],
): void {
  app.decorateRequest('credential', null)
  app.decorateRequest('identity', null)
  app.decorateRequest('endTurn', null)
  const [withFile, others] = [routes.filter(({ upload }) => upload), routes.filter(({ upload }) => !upload)]
  addRoutes(app, deps, others)
  app.register(async (apart) => {
    // Do not read the body before the client is authorized (receive-file.ts).
    apart.removeAllContentTypeParsers()
    apart.addContentTypeParser('*', (_request, _payload, done) => done(null))
    addRoutes(apart, deps, withFile)
  })
  refuseOtherMethods(app, [...routes, ...sockets.map(({ url }) => ({ url, method: 'GET' }))])
}

function addRoutes(app: FastifyInstance, deps: Dependencies, routes: readonly Route[]): void {
  for (const route of routes) {
    const query = queryOf(route)
    const isQuery = compileValidator(query, 'querystring')
    const isBody = route.body && compileValidator(route.body, 'body')
    const dropReadOnly = async ({ identity, query, body }: FastifyRequest): Promise<void> => {
      const { current } = route
      if (!current || !isBody || !identity || !isQuery(structuredClone(query))) return
      await dropUnchanged(route, isBody, body, (writable) =>
        current({ ...identity, query, body: writable } as RouteInput),
      )
    }
    const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<Identity> => {
      request.identity ??= await identify(deps.access, route, request)
      await takeTurn(deps.stalls, request, reply)
      return request.identity
    }
    const authorize = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (request.identity === null && isOrganizationKnown(route.access, request)) await enter(request, reply)
    }
    app.route({
      method: route.method,
      url: route.url,
      ...bodyOptions(bodyLimitsOf(route), 'events' in route.reply || 'orEvents' in route.reply),
      schema: {
        ...(route.params && { params: route.params }),
        querystring: query,
        ...(route.body && { body: route.body }),
      },
      onRequest: async (request, reply) => {
        if ('events' in route.reply || 'orEvents' in route.reply) deps.draining.refuse()
        if (route.access !== 'public') request.credential = await readCredential(deps.tokens, request.headers)
        await authorize(request, reply)
      },
      preValidation: async (request, reply) => {
        await authorize(request, reply)
        checkStorable(request.query)
        checkStorable(request.params)
        if (route.body && request.body === undefined) request.body = emptyBody(route.body)
        await dropReadOnly(request)
        if (!route.body && !route.upload) refuseBody(request.body)
      },
      handler: async (request, reply) => {
        const client = clientOf(request)
        const identity = await enter(request, reply)
        const { params, query, body, headers } = request
        const cookie = route.cookie === undefined ? null : readCookie(headers.cookie, route.cookie)
        const disconnected = () =>
          isKeyed(route, request) ? new AbortController().signal : disconnectSignal(reply)
        const input = { ...identity, client, params, query, body, headers, cookie, disconnected }
        const work = (all: RouteInput) => answerOnce(deps, route, all, request, reply)
        const value = route.upload
          ? await withReceived(
              deps,
              request,
              { ...route.upload, admission: route.admitUpload?.(input) },
              (file) => work({ ...input, file, fields: readFields(route, file) }),
            )
          : await work(input)
        // A stream may stay open for hours.
        request.endTurn?.()
        const presented = route.present?.(value, { body })
        if (presented) reply.headers(presented.headers)
        return answer(deps, route, presented ? presented.answer : value, request, reply)
      },
    })
  }
}

/** Receives the file, runs `work`, and then deletes the file. */
async function withReceived(
  { config: { dataDir, maxUploadBytes }, stallMs }: Dependencies,
  { raw: request }: FastifyRequest,
  { raw, bytesMax = 0, fields, admission }: Upload & { admission: UploadAdmission | undefined },
  work: (file: ReceivedFile) => Promise<unknown>,
): Promise<unknown> {
  const before = request.socket.bytesRead
  const maxBytes = admission?.bytesMax ?? Math.max(maxUploadBytes, bytesMax)
  let path: string | undefined
  try {
    const takes = { takesRaw: raw !== undefined, takesFields: fields !== undefined }
    const file = await receiveFile(request, { dataDir, maxBytes, ...takes, stallMs })
    path = file.path
    return await work(file)
  } finally {
    if (path !== undefined) await rm(path, { force: true })
    admission?.end(request.socket.bytesRead - before)
  }
}

/** Returns the form's fields beside the file. Throws request.invalid. */
function readFields({ upload }: Route, { fields }: ReceivedFile): unknown {
  if (!upload?.fields) return undefined
  checkStorable(fields)
  const validate = compileValidator(upload.fields, 'querystring')
  if (!validate(fields)) throw validationError(validate.errors ?? [], 'form')
  return fields
}

/** Returns `{}` for a request without a body. Throws request.invalid if the schema has required fields. */
function emptyBody(schema: TSchema): object {
  const { required = [] } = schema as { required?: string[] }
  if (required.length > 0) throw fail('request.invalid', { reason: sentence('request.body_needed') })
  return {}
}

/** Throws request.invalid for an unexpected body. Allows `{}`, because some clients always send it. */
function refuseBody(body: unknown): void {
  if (body === undefined || body === null || Object.keys(body).length === 0) return
  const [field] = Object.keys(body)
  throw fail('request.invalid', { reason: sentence('request.unknown_field', { field: String(field) }) })
}

export const clientOf = (request: FastifyRequest): Client => ({
  address: request.address,
  userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null,
  get language() {
    return findLanguage(acceptedLanguages(request.headers['accept-language']))
  },
  requestId: request.id,
  admit: async (id) => request.rateWindows?.admit(id),
})

/** Authenticates and authorizes a request. Throws the errors of the route's access. */
export async function identify(
  deps: AccessDependencies,
  route: Pick<Route, 'access' | 'method' | 'effects' | 'allowedWhileSuspended'>,
  request: FastifyRequest,
): Promise<Identity> {
  const { access } = route
  if (access === 'public') return {}
  const { credential } = request
  if (credential === null) throw fail('auth.missing')
  const allowedWhileSuspended = isAllowedWhileSuspended(route)
  const who = { credential, client: clientOf(request), allowedWhileSuspended }
  if (access === 'deployment') return { deployment: await deps.openDeployment(who) }
  if (typeof access === 'string') {
    const caller = await deps.openCaller(who)
    if (access !== 'authenticated' && caller.sessionId === null) throw fail('access.session_needed')
    if (access === 'system' && !caller.isSystemAdmin) throw fail('access.not_system_admin')
    return { caller }
  }
  if ('inEvery' in access) {
    const { org_id } = request.query as { org_id?: string }
    const opened = await deps.openScopes(access.permission, who, org_id)
    // A request with an idempotency key needs its caller. An empty list of scopes does not identify the caller.
    return isKeyed(route, request) ? { ...opened, caller: await deps.openCaller(who) } : opened
  }
  if ('orDeployment' in access && credential.kind === 'deployment key') {
    const deployment = await deps.openDeployment(who)
    if (deployment.type !== 'api') throw fail('deployment.not_api')
    return { scope: deployment.scope, deployment }
  }
  const query = request.query as Record<string, unknown>
  const opened = deps.openScope(access, { ...who, query, body: request.body })
  if ('orSystem' in access && credential.kind === 'session') return openSystem(deps, who, opened)
  return { scope: await opened, deployment: null }
}

/** Returns the scope, or the caller if a system administrator may not open the scope. */
async function openSystem(
  deps: AccessDependencies,
  who: Parameters<AccessDependencies['openCaller']>[0],
  opened: Promise<Scope<Permission>>,
): Promise<Identity> {
  try {
    return { scope: await opened }
  } catch (error) {
    if (!(error instanceof AppError) || ![403, 404].includes(error.status)) throw error
    const caller = await deps.openCaller(who)
    if (!caller.isSystemAdmin) throw error
    return { caller }
  }
}

function answer(
  deps: Dependencies,
  route: Route,
  value: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const status = Array.isArray(route.reply) ? route.reply[0] : 200
  if ('file' in route.reply || ('orFile' in route.reply && isFile(value))) {
    const { content, ...file } = value as File
    return sendFile(reply, { ...file, content: Buffer.from(content) })
  }
  if (Array.isArray(route.reply) || ('view' in route.reply && !isEventStream(value)))
    return reply.code(status).send(request.enveloped ? enveloped(value) : value)
  if ('redirect' in route.reply) {
    const { location, status = 302, headers = {} } = value as Redirect
    return reply.headers(headers).redirect(location, status)
  }
  if ('stream' in route.reply)
    return sendFile(reply, { ...(value as FileStream), contentType: route.reply.stream })
  if (value === null) return reply.code(204).send()
  sendEvents(reply, value as EventStream, deps)
  return undefined
}

const isFile = (value: unknown): value is File =>
  'contentType' in (value as object) && 'content' in (value as object)

const sendFile = (
  reply: FastifyReply,
  { name, contentType, content }: { name: string; contentType: string; content: Buffer | Readable },
): FastifyReply =>
  reply
    .header('Content-Disposition', contentDisposition('attachment', name))
    .header('X-Content-Type-Options', 'nosniff')
    .type(contentType)
    .send(content)

/** For other methods on a known address, responds with 405 and the allowed methods. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly { url: string; method: string }[]): void {
  const methods = new Map<string, string[]>()
  for (const { url, method } of routes) methods.set(url, [...(methods.get(url) ?? []), method])
  for (const [url, allowed] of methods) {
    const refused = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !allowed.includes(method))
    app.route({
      method: refused as HTTPMethods[],
      url,
      handler: (request, reply) => {
        reply.header('Allow', allowed.join(', '))
        throw fail('request.method_not_allowed', { method: request.method, allowed: allowed.join(', ') })
      },
    })
  }
}

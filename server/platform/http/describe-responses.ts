import { STATUS_CODES } from 'node:http'
import type { TSchema } from 'typebox'
import { type ErrorCode, templateOf } from '#errors'
import { IDEMPOTENT_REPLAYED } from './answer-once.ts'
import { exampleOf } from './compose-example.ts'
import { isAllowedWhileSuspended, type Reply, type Route } from './define-route.ts'
import { exampleOfError } from './error-examples.ts'
import { exampleOfReply } from './example-replies.ts'
import { eventsOf, exampleOfFile, streamOf } from './example-texts.ts'
import { CHAT, REPLY, REQUEST } from './example-values.ts'
import { RATE_HEADERS } from './limit-requests.ts'
import type { AnswerForm, Json } from './openapi.ts'
import { ISSUES, REQUEST_ID, SECOND_FACTOR, VALUES } from './schemas.ts'
import { challengeOf } from './send-error.ts'
import { wireErrorsOf } from './wire-errors.ts'

/** Describes every response of a route. Adds examples that several operations share to `examples`. */
export const describeResponses = (route: Route, form: AnswerForm, examples: Json): Json => ({
  ...successResponses(route, form, examples),
  ...errorResponses(route, form, examples),
})

const text = { type: 'string' }
const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
})

/** The headers of responses, as components. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': header('ID of the request. Quote it in support requests.', REQUEST),
  'X-RateLimit-Limit': header('Requests that the rate limit allows per window.', 600),
  'X-RateLimit-Remaining': header('Requests left in the window.', 587),
  'X-RateLimit-Reset': header('When the window ends, in Unix seconds.', 1_772_442_060),
  'WWW-Authenticate': header('How to authenticate (RFC 6750).', challengeOf('auth.missing')),
  'Retry-After': header('Seconds after which to retry. Not every response has it.', 12),
  [IDEMPOTENT_REPLAYED]: header(
    '`true` if this repeats the response of an earlier request with the same key.',
    'true',
  ),
  'Content-Disposition': header(
    '`attachment`, with the name of the file.',
    'attachment; filename="export.zip"',
  ),
  'Set-Cookie': header(
    'Cookie for browsers, HttpOnly: the session or the connection attempt.',
    'parley_session=rt_6Hs2yBn0; Path=/; HttpOnly',
  ),
  Location: header('URL to which the browser continues.', 'https://parley.fernhill.example/oidc'),
  Allow: header('Methods that the URL accepts.', 'GET'),
  'X-Chat-Id': header('ID of the chat.', CHAT),
  'X-Message-Id': header('ID of the reply.', REPLY),
  'X-Session-Id': header("ID of the visitor's session.", CHAT),
}

const headersWith = (...names: readonly string[]): Json =>
  Object.fromEntries(
    ['X-Request-Id', ...RATE_HEADERS, ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  )

function successResponses(route: Route, form: AnswerForm, examples: Json): Json {
  const { reply } = route
  const replayed = route.method === 'POST' && route.effects !== 'reply' ? [IDEMPOTENT_REPLAYED] : []
  const headers = headersWith(...replayed, ...(route.present ? ['Set-Cookie'] : []))
  const ok = (description: string, content: Json, more = {}) => ({
    200: { description, headers: { ...headers, ...more }, content },
  })
  const json = (view: TSchema) => ({
    'application/json': { schema: form.success(view), ...successExample(route, view, form, examples) },
  })
  if ('events' in reply) {
    const own = headersWith(...(reply.headers ?? []))
    return {
      ...ok(reply.description, { 'text/event-stream': describeEvents(route, reply.events) }, own),
      ...(reply.mayBeEmpty && { 204: { description: 'Nothing more to send.', headers: headersWith() } }),
    }
  }
  if ('view' in reply) {
    const other =
      'orFile' in reply
        ? { [reply.orFile]: { schema: text, example: exampleOfFile(reply.orFile) } }
        : { 'text/event-stream': describeEvents(route, reply.orEvents) }
    return ok(reply.description, { ...json(reply.view), ...other })
  }
  if ('redirect' in reply) {
    const { redirect, seeOther } = reply
    const withLocation = headersWith('Location')
    return {
      302: { description: redirect, headers: withLocation },
      ...(seeOther !== undefined && { 303: { description: seeOther, headers: withLocation } }),
    }
  }
  if ('file' in reply || 'stream' in reply)
    return ok('The file.', filesOf(reply), headersWith('Content-Disposition'))
  const [status, view] = reply
  return { [status]: { description: status === 201 ? 'Created' : 'Success', headers, content: json(view) } }
}

function filesOf(reply: Extract<Reply, { file: unknown } | { stream: unknown }>): Json {
  const types = 'file' in reply ? reply.file : { [reply.stream]: text }
  return Object.fromEntries(
    Object.entries(types).map(([type, schema]) => [
      type,
      { schema, example: type === 'application/json' ? exampleOf(schema) : exampleOfFile(type) },
    ]),
  )
}

/** Operations that return the same record share its example, unless they have their own. */
function successExample(route: Route, view: TSchema, form: AnswerForm, examples: Json): Json {
  const { title } = view as { title?: string }
  const sentence = Array.isArray(route.reply) ? route.reply[2] : undefined
  if (sentence !== undefined) return { example: form.wrap({ message: sentence }) }
  const record = exampleOf(view)
  const own = exampleOfReply(`${route.method} ${route.url}`, record)
  if (own !== undefined || title === undefined) return { example: form.wrap(own ?? record) }
  examples[title] ??= { summary: `An example of ${title}`, value: form.wrap(record) }
  return { examples: { [title]: { $ref: `#/components/examples/${title}` } } }
}

/**
 * Describes an event stream. The schema describes the data of one event, so each event of the example is a separate
 * entry.
 */
function describeEvents({ url }: Route, schema: TSchema): Json {
  const { title } = schema as { title?: string }
  if (title === undefined) return { schema, example: streamOf(url) }
  return {
    schema,
    examples: Object.fromEntries(
      eventsOf(title).map(([summary, value], index) => [`event-${index + 1}`, { summary, value }]),
    ),
  }
}

/** Describes every error status of the operation, with its codes and messages. */
function errorResponses(route: Route, form: AnswerForm, examples: Json): Json {
  const codes = new Set<ErrorCode>(route.errors)
  if (route.body) for (const code of BODY_ERRORS) codes.add(code)
  if (route.upload) for (const code of UPLOAD_ERRORS) codes.add(code)
  if (route.access !== 'public')
    for (const code of ['auth.missing', 'auth.invalid_token', 'auth.invalid_key'] as const) codes.add(code)
  if (route.access === 'session' || route.access === 'system') codes.add('access.session_needed')
  if (route.access === 'system') codes.add('access.not_system_admin')
  if (route.access === 'deployment')
    for (const code of ['access.no_deployment', 'deployment.paused', 'deployment.suspended'] as const)
      codes.add(code)
  if (typeof route.access === 'object') {
    codes.add('access.missing_permission')
    if ('orgOf' in route.access) codes.add('access.second_factor_required')
    if (!isAllowedWhileSuspended(route)) codes.add('access.organization_suspended')
    if ('orDeployment' in route.access) codes.add('deployment.suspended')
  }
  if (route.method === 'POST') for (const code of REPEAT_ERRORS[route.effects ?? 'database']) codes.add(code)
  for (const code of ['request.invalid', 'rate.limited', 'server.error', 'server.no_database'] as const)
    codes.add(code)
  const wire = wireErrorsOf(route.url)
  const byStatus = Map.groupBy([...codes].sort(), (wire ?? form).statusOf)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${templateOf(code)}`).join('  \n'),
        headers: headersWith(...(HEADERS_OF[status] ?? [])),
        content: {
          'application/json': {
            schema: wire?.schema ?? form.error,
            examples: Object.fromEntries(group.map((code) => errorExample(route, code, form, examples))),
          },
        },
      },
    ]),
  )
}

/** Headers of error responses by status, in addition to the headers of every response. */
const HEADERS_OF: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  500: ['Retry-After'],
  503: ['Retry-After'],
}

function errorExample(
  route: Route,
  code: ErrorCode,
  form: AnswerForm,
  examples: Json,
): [string, { $ref: string }] {
  const error = exampleOfError(code)
  const wire = wireErrorsOf(route.url)
  const name = wire ? `${wire.name}-${code}` : code
  examples[name] ??= {
    summary: code,
    value: wire ? wire.bodyOf(error, REQUEST) : form.errorBody(error, REQUEST),
  }
  return [code, { $ref: `#/components/examples/${name}` }]
}

const BODY_ERRORS: readonly ErrorCode[] = [
  'request.malformed',
  'request.too_large',
  'request.too_many_values',
  'request.unsupported_type',
]

const UPLOAD_ERRORS: readonly ErrorCode[] = [
  'request.malformed',
  'request.invalid',
  'request.file_too_large',
  'request.form_needed',
]

/** Errors that a repeated request can get, by the route's effects. */
const REPEAT_ERRORS = {
  reply: ['request.idempotency_reused'],
  database: ['request.idempotency_reused', 'request.in_progress', 'request.answer_not_kept'],
  outside: ['request.idempotency_reused', 'request.in_progress', 'request.answer_not_kept'],
  'outside once': [
    'request.idempotency_reused',
    'request.in_progress',
    'request.answer_not_kept',
    'request.interrupted',
  ],
} as const satisfies Record<NonNullable<Route['effects']> | 'database', readonly ErrorCode[]>

export const ERROR_BODY = {
  title: 'Error',
  type: 'object',
  required: ['detail'],
  properties: {
    detail: { type: 'string', description: 'The failure and its remedy, in English.' },
    code: { type: 'string', description: 'Stable code for programs, such as `request.invalid`.' },
    values: VALUES,
    errors: ISSUES,
    ...SECOND_FACTOR,
    request_id: REQUEST_ID,
  },
}

/**
 * Replaces error responses that occur in several operations with references to components. Returns these components
 * by name.
 */
export function shareResponses(operations: readonly { responses: Json }[]): Json {
  const counts = new Map<string, number>()
  const errorsOf = ({ responses }: { responses: Json }) =>
    Object.entries(responses).filter(([status]) => Number(status) >= 400)
  for (const operation of operations)
    for (const [, response] of errorsOf(operation)) {
      const key = JSON.stringify(response)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  const names = new Map<string, string>()
  const shared: Json = {}
  for (const operation of operations)
    for (const [status, response] of errorsOf(operation)) {
      const key = JSON.stringify(response)
      if ((counts.get(key) ?? 0) < 2) continue
      const name = names.get(key) ?? nameOf(status, shared)
      names.set(key, name)
      shared[name] = response
      operation.responses[status] = { $ref: `#/components/responses/${name}` }
    }
  return shared
}

/** Returns the first unused name of the series `NotFound`, `NotFound2` and so on. */
function nameOf(status: string, taken: Json): string {
  const name = (STATUS_CODES[status] ?? status).replace(/\W/g, '')
  let count = 1
  while (Object.hasOwn(taken, count === 1 ? name : name + count)) count += 1
  return count === 1 ? name : name + count
}

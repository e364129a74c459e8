import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TObject, TSchema } from 'typebox'
import { type AppError, type ErrorCode, statusOf } from '#errors'
import type { Access } from '#platform/access/scope.ts'
import { IDEMPOTENCY_KEY } from './answer-once.ts'
import type { Route, Upload } from './define-route.ts'
import { describeResponses, ERROR_BODY, HEADERS, shareResponses } from './describe-responses.ts'
import { queryOf } from './query-of.ts'
import { LOWER_CASE, USE_DESCRIPTION } from './schemas.ts'
import { plain } from './send-error.ts'

export type Json = { [key: string]: unknown }

/** The form of paths and responses in the document: bare under /api, or in an envelope under /v1. */
export interface AnswerForm {
  title: string
  summary: string
  /** Returns a route's path in this form. Null if this form does not include the route. */
  addressOf(url: string): string | null
  success(view: TSchema): object
  /** Returns a response body in this form. */
  wrap(answer: unknown): unknown
  statusOf(code: ErrorCode): number
  error: object
  errorBody(error: AppError, requestId: string): object
}

interface Operation extends Json {
  responses: Json
}

/**
 * Creates the OpenAPI 3.1 document from the declared routes: parameters, bodies, responses, errors, permissions and
 * examples. A schema with a title becomes a component with that name. An operation has the same id in every form.
 *
 * @param webhooks the requests that webhooks receive, as Path Items by event type
 */
export function describeApi(all: readonly Route[], webhooks: Json, form = BARE): Json {
  const routes = all.filter(({ url }) => form.addressOf(url) !== null)
  const examples: Json = {}
  const schemas: Json = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const address = pathOf(form.addressOf(route.url) as string)
    const operation = hoist(describeOperation(route, form, examples), schemas) as Operation
    paths[address] = { ...paths[address], [route.method.toLowerCase()]: operation }
  }
  const events = hoist(webhooks, schemas)
  const responses = shareResponses(Object.values(paths).flatMap((path) => Object.values(path)))
  return {
    openapi: '3.1.1',
    info: {
      title: form.title,
      version: '1.0.0',
      summary: form.summary,
      description: readFileSync(join(import.meta.dirname, 'api-overview.md'), 'utf8'),
      contact: { name: 'Parley' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: tagsOf(routes),
    paths,
    webhooks: events,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "An access token, or a deployment's key where the operation accepts one.",
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of a user.' },
      },
      headers: HEADERS,
      examples: sorted(examples),
      responses: sorted(responses),
      schemas: sorted(schemas),
    },
  }
}

/** Returns a path in the form of OpenAPI: `/items/{id}` for `/items/:id`. */
const pathOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}')

const sorted = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => a.localeCompare(b)))

/** The tags in the order of the API reference. Tags that clients need first come first. */
const TAGS: Record<string, { 'x-displayName': string; description: string }> = {
  auth: { 'x-displayName': 'Authentication', description: 'Sign-up, sign-in, sessions and second factors.' },
  users: { 'x-displayName': 'Users', description: 'Your account and the members of an organization.' },
  org: { 'x-displayName': 'Organizations', description: 'Organizations, their limits, exports and imports.' },
  invitations: { 'x-displayName': 'Invitations', description: 'Invitations to join an organization.' },
  roles: { 'x-displayName': 'Roles', description: 'Roles and the permissions that they grant.' },
  api_keys: { 'x-displayName': 'API keys', description: 'Keys for programs that act for a user.' },
  chat: { 'x-displayName': 'Chats', description: 'Chats, messages, streamed replies and files.' },
  conversation: {
    'x-displayName': 'Conversations',
    description: 'Conversations in which several models take part.',
  },
  instructions: { 'x-displayName': 'Instructions', description: 'Saved instructions that guide replies.' },
  llm: { 'x-displayName': 'Models', description: 'Language models of an organization and the environment.' },
  agents: { 'x-displayName': 'Agents', description: 'Agents: a model with a prompt, tools and knowledge.' },
  tools: {
    'x-displayName': 'Tools',
    description: 'Tools that agents call, written in JavaScript or Python.',
  },
  agent_deploy: { 'x-displayName': 'Deployments', description: 'Agents on web pages and for programs.' },
  kb: { 'x-displayName': 'Knowledge bases', description: 'Sources, documents, search and evaluations.' },
  mcp: { 'x-displayName': 'MCP', description: 'The catalogue of MCP servers, and connections to them.' },
  mcp_playground: {
    'x-displayName': 'MCP playground',
    description: 'Chats with the tools of MCP connections.',
  },
  openai: { 'x-displayName': 'OpenAI-compatible', description: 'Endpoints for clients of the OpenAI API.' },
  anthropic: {
    'x-displayName': 'Anthropic-compatible',
    description: 'Endpoints for clients of the Anthropic API.',
  },
  billing: { 'x-displayName': 'Billing', description: 'Credits, the ledger, usage and budgets.' },
  webhooks: { 'x-displayName': 'Webhooks', description: 'Webhooks and their deliveries.' },
  audit: { 'x-displayName': 'Audit log', description: 'Changes to the records of an organization.' },
  installation: {
    'x-displayName': 'Installation',
    description: 'The status of mail, storage, providers and queues, for the system administrator.',
  },
}

function tagsOf(routes: readonly Route[]): Json[] {
  const used = new Set(routes.map(tagOf))
  const missing = [...used].find((name) => !Object.hasOwn(TAGS, name))
  if (missing !== undefined) throw new Error(`the tag ${missing} has no description`)
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, tag]) => ({ name, ...tag }))
}

/**
 * Returns a route's tag: kb for `/api/kb/list`, openai for `/openai/v1/models`, and auth for the key set (RFC 7517).
 */
function tagOf({ url }: Route): string {
  const [, first = '', second = ''] = url.split('/')
  if (first === 'api') return second
  return first.startsWith('.') ? 'auth' : first
}

function describeOperation(route: Route, form: AnswerForm, examples: Json): Operation {
  const parameters = [
    ...(route.params ? parametersIn('path', route.params) : []),
    ...parametersIn('query', queryOf(route)),
    ...headerParameters(headersOf(route)),
  ]
  return {
    operationId: `${route.method.toLowerCase()}_${route.url
      .replace(/^\/(api\/)?/, '')
      .replace(/\W+$/, '')
      .replace(/\W+/g, '_')}`,
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, accessSentence(route.access)].filter(Boolean).join('\n\n'),
    security: securityOf(route.access),
    ...(typeof route.access === 'object' && { 'x-permission': route.access.permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(route.body, route.example) }),
    ...(route.upload && { requestBody: fileBody(route.upload) }),
    responses: describeResponses(route, form, examples),
  }
}

/** An API key is accepted wherever an access token is, except where a signed-in user is required. */
function securityOf(access: Access): Json[] {
  if (access === 'public') return []
  const needsSession = access === 'session' || access === 'system'
  return needsSession ? [{ bearer: [] }] : [{ bearer: [] }, { apiKey: [] }]
}

function accessSentence(access: Access): string {
  if (access === 'public') return 'Requires no authentication.'
  if (access === 'authenticated') return 'Requires an access token or an API key.'
  if (access === 'session') return 'Requires an access token. API keys are refused.'
  if (access === 'system') return 'Requires an access token of the system administrator.'
  if (access === 'deployment') return "Requires a deployment's key, or the token of one of its visitors."
  if ('orDeployment' in access)
    return `Requires the permission \`${access.permission}\`, or the key of a deployment of type api.`
  if ('orSystem' in access)
    return `Requires the permission \`${access.permission}\`, or an access token of the system administrator.`
  return `Requires the permission \`${access.permission}\`.`
}

const parametersIn = (place: 'path' | 'query', { properties, required }: TObject): Json[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: (required as string[] | undefined)?.includes(name) ?? false,
    ...describedOnce(schema as TSchema & { description?: string }),
  }))

/** Moves a parameter's description from its schema to the parameter. */
const describedOnce = ({ description, ...schema }: { description?: string }): Json => ({
  ...(description !== undefined && { description }),
  schema,
})

const headersOf = ({ method, headers, effects }: Route): Record<string, string> => ({
  ...headers,
  ...(method === 'POST' && { [IDEMPOTENCY_KEY]: effects === 'reply' ? REPLY_KEY_SENTENCE : KEY_SENTENCE }),
})

const KEY_SENTENCE =
  '1 to 255 visible ASCII characters. For 24 hours, a repeat with the same key returns the first response, with the ' +
  'header `Idempotent-Replayed: true`, and has no further effect.'

const REPLY_KEY_SENTENCE =
  '1 to 255 visible ASCII characters. For 24 hours, a repeat with the same key returns the same reply, without charge.'

/** Maximum length of a declared header. Also that of an `Idempotency-Key`; event IDs are shorter. */
const HEADER_CHARACTERS_MAX = 255

const headerParameters = (headers: Record<string, string> = {}): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: HEADER_CHARACTERS_MAX },
  }))

const requestBody = (schema: BodySchema, example: unknown): Json => ({
  description: requiredFields(schema),
  required: (schema.required ?? []).length > 0,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})

type BodySchema = TSchema & { required?: string[]; minProperties?: number }

function requiredFields({ required = [], minProperties = 0 }: BodySchema): string {
  const names = required.map((name) => `\`${name}\``).join(', ')
  if (names !== '') return `Required ${required.length === 1 ? 'field' : 'fields'}: ${names}.`
  return minProperties > 0 ? 'At least one field is required.' : 'All fields are optional.'
}

/**
 * Describes a file as part of a form. Generators of clients cannot choose between a form and the file itself, so an
 * operation that also accepts the latter says it in words.
 */
const fileBody = ({ description, example, fields, fieldsExample }: Upload): Json => ({
  required: true,
  description,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file', ...((fields?.required ?? []) as string[])],
        properties: {
          ...fields?.properties,
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: 'The file to upload.',
          },
        },
      },
      example: { file: `@${example}`, ...fieldsExample },
    },
  },
})

const BARE: AnswerForm = {
  title: 'Parley API',
  summary: 'A multi-tenant platform for building and running conversational AI',
  addressOf: (url) => url,
  success: (view) => view,
  wrap: (answer) => answer,
  statusOf,
  error: ERROR_BODY,
  errorBody: plain,
}

/**
 * Moves each schema with a title to the components and replaces it with a reference. Writes `patternProperties` of any
 * name as `additionalProperties`, because generators of clients ignore the former.
 */
function hoist(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components))
  if (value === null || typeof value !== 'object') return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hoist(inner, components)]),
  )
  delete copy[LOWER_CASE]
  const anyName = (copy['patternProperties'] as Json | undefined)?.[ANY_NAME]
  if (anyName !== undefined) {
    delete copy['patternProperties']
    copy['additionalProperties'] = anyName
  }
  const { title, [USE_DESCRIPTION]: description, ...schema } = copy
  if (typeof title !== 'string' || !('type' in schema || 'anyOf' in schema)) return copy
  const known = components[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`two different schemas are called ${title}`)
  components[title] = schema
  return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
}

/** The pattern of TypeBox's records with strings as keys. */
const ANY_NAME = '^.*$'

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { onlyInDatabase } from '#database/ambient.ts'
import { fail, sentence } from '#errors'
import type { Credential } from '#platform/access/credentials.ts'
import type { Caller } from '#platform/access/scope.ts'
import type { Effects, Idempotency } from '#platform/idempotency/idempotency.ts'
import { networkOf } from '#platform/net/addresses.ts'
import { prefersEvents } from './accept.ts'
import type { Route, RouteInput } from './define-route.ts'

export const IDEMPOTENCY_KEY = 'Idempotency-Key'
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed'

const KEY = /^[\x21-\x7e]{1,255}$/

/** Returns the request's idempotency key, if any. Throws request.invalid for a malformed key. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'] as string | undefined
  if (key !== undefined && !KEY.test(key))
    throw fail('request.invalid', {
      reason: sentence('request.idempotency_key', { header: IDEMPOTENCY_KEY }),
    })
  return key
}

/**
 * Returns whether `answerOnce` must handle the request's idempotency key. False if the request has no key, and for
 * routes with the effects `reply`, which handle keys themselves.
 */
export const isKeyed = (route: Pick<Route, 'method' | 'effects'>, request: FastifyRequest): boolean =>
  route.method === 'POST' && route.effects !== 'reply' && idempotencyKeyOf(request.headers) !== undefined

/** Runs the handler. If the request is a repeat, returns the stored response instead. */
export async function answerOnce(
  { idempotency }: { idempotency: Idempotency },
  route: Route,
  input: RouteInput,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = () => route.handler(input)
  if (!isKeyed(route, request)) return route.effects === 'database' ? onlyInDatabase(handle) : handle()
  const [hash, formerHash] = idempotency.hashes(JSON.stringify(repeatIdentity(route, input)))
  const owner = ownerOf(input, request.credential)
  const keyed = {
    owner: owner ?? `public:${hash}`,
    route: route.url,
    key: idempotencyKeyOf(request.headers) as string,
    hash,
    quota: quotaOf(input, idempotency),
    ...(formerHash !== undefined && {
      former: { owner: owner ?? `public:${formerHash}`, hash: formerHash },
    }),
    userId: personOf(input)?.userId ?? null,
  }
  const { value, isReplayed } = await idempotency.once(keyed, route.effects as Effects, handle)
  if (isReplayed) reply.header(IDEMPOTENT_REPLAYED, 'true')
  return value
}

/** Returns the parts of a request that must be equal in a repeat. */
const repeatIdentity = (
  route: Route,
  { params, query, body, headers, cookie, file, fields }: RouteInput,
): unknown => [
  query,
  body ?? null,
  file ? [file.sha256, file.name, file.contentType] : null,
  'orEvents' in route.reply && prefersEvents(headers.accept),
  // The response of a public route may depend on the page's origin.
  route.access === 'public' ? (headers.origin ?? null) : null,
  ...(route.cookie === undefined ? [] : [cookie]),
  ...(route.params === undefined ? [] : [params]),
  ...(route.upload?.fields ? [fields] : []),
]

/** Returns the quota that the stored request counts against. An IP address is included only as a keyed hash. */
function quotaOf(input: RouteInput, idempotency: Idempotency): string {
  if (input.deployment) return `deployment:${input.deployment.id}`
  const person = personOf(input)
  if (person) return `user:${person.userId}`
  const [network] = idempotency.hashes(networkOf(input.client.address))
  return `network:${network}`
}

/** Returns the owner of the idempotency key. Null for an anonymous client. */
function ownerOf(input: RouteInput, credential: Credential | null): string | null {
  const { deployment } = input
  if (deployment)
    return deployment.visitorId === null
      ? `deployment:${deployment.id}`
      : `visitor:${deployment.id}:${deployment.visitorId}`
  const person = personOf(input)
  if (person === null || credential === null) return null
  return credential.kind === 'api key'
    ? `user:${person.userId}:${organizationOf(input)}`
    : `user:${person.userId}`
}

const personOf = ({ caller, scope, deployment }: RouteInput): Pick<Caller, 'userId'> | null =>
  deployment ? null : (caller ?? scope ?? null)

/** Returns the organization of the request's API key. */
const organizationOf = ({ caller, scope }: RouteInput): string | null =>
  caller?.onlyOrganizationId ?? scope?.organizationId ?? null

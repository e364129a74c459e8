import { UUID } from '#database/new-id.ts'
import { fail, sentence } from '#errors'
import type { Access, OrganizationSource, ResourceKind } from './scope.ts'

/** The source of a request's organization: its own id, the caller's personal organization, or a record of this kind. */
export type OrganizationKind = 'organization' | 'personal' | ResourceKind

/**
 * Returns whether the parsed parts of a request contain the id that determines its organization. `body` is undefined
 * until the body is parsed. Returns false for a missing or malformed id, which request validation refuses later.
 */
export function isOrganizationKnown(
  access: Access,
  { query, body }: { query: unknown; body: unknown },
): boolean {
  if (typeof access === 'string') return true
  const given = query as Record<string, unknown>
  if (given['org_id'] !== undefined && !isUuid(idIn(given, 'org_id'))) return false
  if ('inEvery' in access) return true
  if (access.orgOf === 'query or body')
    return body !== undefined && isUuid(idIn(given, 'org_id') ?? idIn(body, 'org_id'))
  const { kind, target } = locateOrganization(access.orgOf, { query: given, body })
  return kind === 'personal' || isUuid(target)
}

const isUuid = (value: unknown): boolean => typeof value === 'string' && UUID.test(value)

/** Returns the kind of lookup that finds the request's organization, and the id to look up. */
export function locateOrganization(
  orgOf: OrganizationSource,
  { query, body }: { query: Record<string, unknown>; body: unknown },
): { kind: OrganizationKind; target: string | null } {
  if (orgOf === 'body') return { kind: 'organization', target: idIn(body, 'organization_id') }
  if (orgOf === 'query or body') return { kind: 'organization', target: idInEither(query, body) }
  if (orgOf === 'query' || (orgOf === 'query or personal' && query['org_id'] !== undefined))
    return { kind: 'organization', target: idIn(query, 'org_id') }
  if (orgOf === 'query or personal') return { kind: 'personal', target: null }
  const [[kind, parameter]] = Object.entries(orgOf) as [[ResourceKind, string]]
  return { kind, target: idIn(query, parameter) }
}

/**
 * Returns the id in lowercase, the form in which the database returns ids. Null if `values` contains no string under
 * this name.
 */
export function idIn(values: unknown, name: string): string | null {
  const id = (values as Record<string, unknown> | null)?.[name]
  return typeof id === 'string' ? id.toLowerCase() : null
}

/** Returns `org_id` of the query or the body. Throws request.invalid if both are missing, or if they differ. */
function idInEither(query: Record<string, unknown>, body: unknown): string {
  const [inQuery, inBody] = [idIn(query, 'org_id'), idIn(body, 'org_id')]
  const id = inQuery ?? inBody
  if (id === null) throw fail('request.invalid', { reason: sentence('request.org_id_needed') })
  if (inQuery !== null && inBody !== null && inQuery !== inBody)
    throw fail('request.invalid', { reason: sentence('request.org_ids_differ') })
  return id
}

import type { Permission } from './permissions.ts'
import type { ScopedDatabase } from './scoped-database.ts'

declare const held: unique symbol

/**
 * Proof that the caller holds the permission P in one organization. Only `openScope` makes one, so a service that
 * asks for Scope<'kb:write'> can't be reached from a route that declared 'kb:read': that does not compile.
 */
export interface Scope<P extends Permission> extends ScopedDatabase {
  readonly [held]: P
  readonly organizationId: string
  readonly userId: string
}

/** Somebody who is signed in, before any organization is chosen. */
export interface Caller {
  userId: string
  sessionId: string
  isSystemAdmin: boolean
}

/**
 * Where the organization of a request comes from: `org_id` in the query or the body; `org_id` in the query, else the
 * caller's personal organization; or the organization of the record that a query parameter names.
 */
export type OrganizationSource = 'query' | 'body' | 'query or personal' | ResourceSource
export type ResourceSource = { chat: string } | { model: string } | { instruction: string }

/** Who may call a route. */
export type Access<P extends Permission = Permission> =
  | 'public'
  | 'authenticated'
  | 'system'
  | { permission: P; orgOf: OrganizationSource }
  /** The caller's rights in each of the caller's organizations where the permission is held. */
  | { permission: P; inEvery: 'organization' }

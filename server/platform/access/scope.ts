import type { Language } from '@parley/messages/languages'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import type { Permission } from './permissions.ts'
import type { ScopedDatabase } from './scoped-database.ts'

declare const held: unique symbol

/** The client of a request, as recorded in the audit log and in a user's list of sessions. */
export interface Client {
  /** The client's IP address. Behind trusted proxies, read from X-Forwarded-For (client-address.ts). */
  address: string
  userAgent: string | null
  /** Preferred language from Accept-Language. Null if the header names no supported language. */
  language: Language | null
  requestId: string
  /**
   * Counts the request against the rate limit of `id`, which identifies a user, deployment or visitor. Throws
   * rate.limited. Omitted if requests are not rate-limited.
   */
  admit?(id: string): Promise<void>
}

/** The user who performs an action, possibly through an API key. */
export interface Actor {
  userId: string
  apiKeyId: string | null
  client: Client
}

/** A user authenticated by a session or an API key, before the request's organization is known. */
export interface Caller extends Actor {
  /** Null for an API key. */
  sessionId: string | null
  isSystemAdmin: boolean
  /** Organization of the API key. Null for a session, which can access all of the user's organizations. */
  onlyOrganizationId: string | null
}

/**
 * Proof that the caller holds permission P in one organization. Only server/platform/access creates scopes. A route
 * that declares 'kb:read' therefore cannot call a service that takes Scope<'kb:write'>: the call does not compile.
 */
export interface Scope<P extends Permission> extends ScopedDatabase, Actor {
  readonly [held]: P
  readonly organizationId: string
  /** Null for an API key or a deployment. */
  readonly sessionId: string | null
  readonly role: { readonly id: string; readonly name: string; readonly level: number }
  /**
   * Returns whether the caller's role grants the permission. With an API key, the key must grant it too. `permission`
   * may contain `*`.
   */
  holds(permission: string): boolean
}

/** A deployment opened with its key or with the token of one of its visitors. */
export interface OpenDeployment {
  id: string
  organizationId: string
  agentId: string
  type: 'api' | 'widget' | 'iframe'
  config: DeploymentConfig
  /** Null if the deployment was opened with its key. The key can read the sessions of all visitors. */
  visitorId: string | null
  /** The deployment's scope, which permits only chatting with its agent. */
  scope: Scope<'chats:write'>
}

/**
 * How a route finds the organization of a request:
 * - `query`: `org_id` in the query.
 * - `body`: `organization_id` in the body.
 * - `query or body`: `org_id` in the query or in the body.
 * - `query or personal`: `org_id` in the query. If it is missing, the organization of the API key, or else the caller's personal
 * organization.
 * - a resource: the organization of the record whose id is in the named query parameter.
 *
 * For a public tool or agent of another organization, a resource works like `query or personal`. If a record or the
 * body determines the organization, the query may contain the same organization as `org_id`.
 */
export type OrganizationSource = 'query' | 'body' | 'query or body' | 'query or personal' | ResourceSource
export type ResourceKind =
  | 'chat'
  | 'model'
  | 'modelConnection'
  | 'instruction'
  | 'invitation'
  | 'apiKey'
  | 'kb'
  | 'agent'
  | 'tool'
  | 'deployment'
  | 'mcpInstance'
  | 'webhook'
export type ResourceSource = { [K in ResourceKind]: { [key in K]: string } }[ResourceKind]

/** The access rule of a route. */
export type Access<P extends Permission = Permission> =
  | 'public'
  /** Any authenticated caller, including API keys. */
  | 'authenticated'
  /** A signed-in user, without API keys. */
  | 'session'
  /** The system administrator, signed in. */
  | 'system'
  /** A deployment, with its key or a visitor's token. */
  | 'deployment'
  | { permission: P; orgOf: OrganizationSource }
  /** The permission, or the key of a deployment of type `api`. */
  | { permission: P; orgOf: OrganizationSource; orDeployment: true }
  /** The permission, or the system administrator, signed in. */
  | { permission: P; orgOf: OrganizationSource; orSystem: true }
  /** The handler receives one scope for each organization, apart for those where the caller lacks the permission. */
  | { permission: P; inEvery: 'organization' }

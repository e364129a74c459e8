import type { Language } from '@parley/messages/languages'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import type { Permission } from './permissions.ts'
import type { ScopedDatabase } from './scoped-database.ts'

declare const held: unique symbol

/** The client of a request, for the audit and for a user's list of sessions. */
export interface Client {
  /** The IP address. Behind proxies, the last hop that is not a trusted proxy. */
  address: string
  userAgent: string | null
  /** The user's language, from Accept-Language; null if unknown or not supported. */
  language: Language | null
  requestId: string
  /**
   * Counts the request for the user, deployment or visitor `id`. Throws rate.limited. Absent if requests are not
   * counted.
   */
  admit?(id: string): Promise<void>
}

/** The user who acts, possibly through an API key. */
export interface Actor {
  userId: string
  apiKeyId: string | null
  client: Client
}

/** An authenticated user or API key, before an organization is resolved. */
export interface Caller extends Actor {
  /** Null for an API key. */
  sessionId: string | null
  isSystemAdmin: boolean
  /** The organization of an API key; null for a session, which may use all of the user's organizations. */
  onlyOrganizationId: string | null
}

/**
 * Proof that the caller holds permission P in one organization. Only `openScope` creates it, so a service that takes
 * Scope<'kb:write'> cannot be called from a route that declares 'kb:read': that does not compile.
 */
export interface Scope<P extends Permission> extends ScopedDatabase, Actor {
  readonly [held]: P
  readonly organizationId: string
  /** Null for an API key or a deployment. */
  readonly sessionId: string | null
  readonly role: { readonly id: string; readonly name: string; readonly level: number }
  /** Whether both the role and the API key grant a permission, which may have wildcards. */
  holds(permission: string): boolean
}

/** A deployment opened with its key or by one of its visitors. */
export interface OpenDeployment {
  id: string
  organizationId: string
  agentId: string
  type: 'api' | 'widget' | 'iframe'
  config: DeploymentConfig
  /** Null for the key, which sees the sessions of all visitors. */
  visitorId: string | null
  /** The deployment's scope, limited to chatting with its agent. */
  scope: Scope<'chats:write'>
}

/**
 * How a route finds the organization of a request:
 * - `query`: `org_id` in the query
 * - `body`: `organization_id` in the body
 * - `query or body`: `org_id` in either
 * - `query or personal`: `org_id` in the query, else the API key's or the caller's personal organization
 * - a resource: the organization of the record that a query parameter names
 *
 * For another organization's public tool or agent, it is the organization in `org_id`, else the API key's or the
 * caller's personal organization. If a record or the body determines the organization, the query may repeat it as
 * `org_id`.
 */
export type OrganizationSource = 'query' | 'body' | 'query or body' | 'query or personal' | ResourceSource
export type ResourceKind =
  | 'chat'
  | 'model'
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
  /** The same, or the key of a deployment of type api. */
  | { permission: P; orgOf: OrganizationSource; orDeployment: true }
  /** One scope per organization where the caller holds the permission. */
  | { permission: P; inEvery: 'organization' }

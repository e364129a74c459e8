import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'
import type { Permission } from './permissions.ts'
import type { ScopedDatabase } from './scoped-database.ts'

declare const held: unique symbol

/** The other end of a request: for the audit, and for telling a person's sessions apart. */
export interface Client {
  /** The IP address; behind proxies the last hop that is not trusted. */
  address: string
  userAgent: string | null
  requestId: string
  /** Counts the request for whoever turns out to send it. Throws rate.limited. Absent where nothing is counted. */
  admit?(id: string): Promise<void>
}

/** Who does something: a person, perhaps through one of his API keys. */
export interface Actor {
  userId: string
  apiKeyId: string | null
  client: Client
}

/** Somebody who is signed in, before any organization is chosen. */
export interface Caller extends Actor {
  /** Null: with an API key. */
  sessionId: string | null
  isSystemAdmin: boolean
  /** The one organization of an API key; null: all that the person is a member of. */
  onlyOrganizationId: string | null
}

/**
 * Proof that the caller holds the permission P in one organization. Only `openScope` makes one, so a service that
 * asks for Scope<'kb:write'> can't be reached from a route that declared 'kb:read': that does not compile.
 */
export interface Scope<P extends Permission> extends ScopedDatabase, Actor {
  readonly [held]: P
  readonly organizationId: string
  /** Null: with an API key, or for a deployment. */
  readonly sessionId: string | null
  readonly role: { readonly id: string; readonly name: string; readonly level: number }
  /** Whether the caller holds a permission, which may have wildcards, through the role and through the API key. */
  holds(permission: string): boolean
}

/** A deployment that is spoken to: by its key, or by one of its visitors (contract, 10). */
export interface OpenDeployment {
  id: string
  organizationId: string
  agentId: string
  type: 'api' | 'widget' | 'iframe'
  config: DeploymentConfig
  /** Null: with the key, which sees the sessions of all visitors. */
  visitorId: string | null
  /** The deployment's own, which holds no more than it takes to talk to its agent. */
  scope: Scope<'chats:write'>
}

/**
 * Where the organization of a request comes from: `org_id` in the query, `organization_id` in the body; `org_id` in
 * the query or in the body; `org_id` in the query, else the API key's or the caller's personal organization; or the organization of the record that a query
 * parameter names: for somebody else's public tool or agent again the API key's or the personal one, or that of
 * `org_id`. Where a record or the body leads to the organization, `org_id` in the query may name it too.
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

/** Who may call a route. */
export type Access<P extends Permission = Permission> =
  | 'public'
  /** Anybody who is known, also by an API key. */
  | 'authenticated'
  /** Anybody who has signed in: an API key won't do. */
  | 'session'
  /** The system administrator, signed in. */
  | 'system'
  /** A deployment, by its key or by a visitor's token. */
  | 'deployment'
  | { permission: P; orgOf: OrganizationSource }
  /** The same, or a deployment of the type api by its key. */
  | { permission: P; orgOf: OrganizationSource; orDeployment: true }
  /** The caller's rights in each of the caller's organizations where the permission is held. */
  | { permission: P; inEvery: 'organization' }

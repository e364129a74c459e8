import type { IncomingHttpHeaders } from 'node:http'
import { UUID } from '#database/new-id.ts'
import { AppError, fail, sentence } from '#errors'
import { type Credential, readCredential } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Client, Scope } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { ACCESS_TOKEN } from './authorization-server.ts'
import type { OAuthRecords } from './oauth-records-system.ts'

/** Scopes of a caller of /mcp in one organization. A scope is null if the caller lacks its permission. */
export interface McpCaller {
  agents: Scope<'agent:execute'> | null
  documents: Scope<'kb:read'> | null
  instructions: Scope<'chats:read'> | null
}

type Dependencies = Pick<Services, 'tokens' | 'access'>

/**
 * Reads a request's credential: an access token of this authorization server, an API key, or the access token of a
 * session. Throws auth.missing, auth.invalid_token.
 */
export async function readMcpCredential(
  { tokens }: Dependencies,
  records: OAuthRecords,
  headers: IncomingHttpHeaders,
): Promise<Credential> {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !ACCESS_TOKEN.test(token)) return readCredential(tokens, headers)
  const keyHash = await records.keyHashOf(token)
  if (keyHash === null) throw fail('auth.invalid_token')
  return { kind: 'api key', keyHash }
}

/**
 * Opens the caller's scopes in an organization: that of the API key or token, that in `org_id`, or else the caller's
 * personal organization. Throws org.not_found, access.organization_suspended, and access.missing_permission if the
 * caller has none of the permissions.
 */
export async function openMcpCaller(
  { access }: Dependencies,
  credential: Credential,
  client: Client,
  orgId: unknown,
): Promise<McpCaller> {
  if (orgId !== undefined && !(typeof orgId === 'string' && UUID.test(orgId)))
    throw fail('request.invalid', { reason: sentence('oauth.org_id') })
  const query = orgId === undefined ? {} : { org_id: orgId }
  const request = { credential, client, query, body: null, allowedWhileSuspended: false }
  const open = <P extends Permission>(permission: P): Promise<Scope<P> | null> =>
    access.openScope({ permission, orgOf: 'query or personal' }, request).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'access.missing_permission') return null
      throw error
    })
  const [agents, documents, instructions] = await Promise.all([
    open('agent:execute'),
    open('kb:read'),
    open('chats:read'),
  ])
  if (!agents && !documents && !instructions)
    throw fail('access.missing_permission', { permission: 'agent:execute' })
  return { agents, documents, instructions }
}

import { sentence } from '#errors'
import type { StoredGrant } from '#platform/mcp/authorization.ts'
import type { McpEndpoint } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import {
  connectionKey,
  holderOf,
  isInstance,
  type McpDependencies,
  type OwnedInstance,
} from './dependencies.ts'
import type { TokenRefresh } from './refresh.ts'
import type { ToolLists } from './tools.ts'

/**
 * The credentials of an instance, stored encrypted and bound to the instance. They are only sent to `origin`, even if
 * the catalogue moves the server. Instances of servers without authorization have no credentials.
 */
export type Credentials =
  | { type: 'api_key'; origin: string; key: string }
  | { type: 'oauth'; origin: string; grant: StoredGrant }
  | { type: 'composio'; url: string; isOwn: boolean }

/** Encrypted credentials, as columns of an instance. */
interface StoredCredentials {
  sealed: string | null
  /** Seconds until the access token expires. Null if the token never expires or its lifetime is unknown. */
  expiresIn: number | null
}

export function sealCredentials(
  secrets: Secrets,
  instanceId: string,
  credentials: Credentials | null,
): StoredCredentials {
  if (credentials === null) return { sealed: null, expiresIn: null }
  const expiresIn = credentials.type === 'oauth' ? credentials.grant.tokens.expires_in : null
  return {
    sealed: secrets.encrypt(JSON.stringify(credentials), instanceId),
    expiresIn: expiresIn ?? null,
  }
}

/**
 * Decrypts credentials that are to be revoked, replaced or renewed. Returns null if they were encrypted with another SECRET.
 */
export function openReplaced(
  secrets: Secrets,
  instanceId: string,
  sealed: string | null,
): Credentials | null {
  try {
    return openCredentials(secrets, instanceId, sealed)
  } catch {
    return null
  }
}

/** Decrypts stored credentials. Throws if they were encrypted with another SECRET. */
export const openCredentials = (
  secrets: Secrets,
  instanceId: string,
  sealed: string | null,
): Credentials | null =>
  sealed === null ? null : (JSON.parse(secrets.decrypt(sealed, instanceId)) as Credentials)

/** An instance, with the fields needed to call its server. */
interface UsableInstance extends OwnedInstance {
  url: string
  /** Header that carries the API key. Null if the server accepts no key. */
  keyHeader: string | null
  credentials: string | null
}

interface CurrentRow {
  status: string
  error: string | null
  credentials: string | null
  version: number
  secondsLeft: number | null
}

/** A token is renewed when 60 seconds or a fifth of its lifetime are left, whichever is less. */
const AHEAD_SECONDS = 60
const AHEAD_SHARE = 0.2
/** Maximum wait for a renewal while the current token is still valid. The renewal continues in the background. */
const AHEAD_WAIT_MS = 3_000

/**
 * Converts the credentials of instances to request headers. Reads an access token from the database for each request,
 * so that a deletion or another process's renewal takes effect with the next request.
 */
export class InstanceCredentials {
  readonly #deps: Pick<McpDependencies, 'secrets' | 'composio'>
  readonly #refresh: Pick<TokenRefresh, 'renew'>
  readonly #lists: Pick<ToolLists, 'forget'>

  constructor(
    deps: Pick<McpDependencies, 'secrets' | 'composio'>,
    refresh: Pick<TokenRefresh, 'renew'>,
    lists: Pick<ToolLists, 'forget'>,
  ) {
    this.#deps = deps
    this.#refresh = refresh
    this.#lists = lists
  }

  /**
   * Returns the endpoint that calls the server with the instance's credentials. Throws McpError if the server has
   * moved to another origin.
   */
  endpointOf(instance: UsableInstance): McpEndpoint {
    const { secrets, composio } = this.#deps
    const stored = openCredentials(secrets, instance.id, instance.credentials)
    const plain = {
      key: connectionKey(instance.id, instance.url),
      url: instance.url,
      net: 'guarded',
      toolsChanged: () => this.#lists.forget(instance.sql, holderOf(instance)),
    } as const
    switch (stored?.type) {
      case undefined:
        return { ...plain, headers: async () => ({}) }
      case 'api_key':
        return { ...plain, headers: async () => keyHeaders(instance, stored) }
      case 'composio': {
        const { url, isOwn } = stored
        const headers = async () => composio?.headers({ isOwn }) ?? {}
        const net = isOwn ? 'open' : 'guarded'
        return { ...plain, key: connectionKey(instance.id, url), url, net, headers }
      }
      case 'oauth':
        checkOrigin(instance.url, stored.origin)
        return {
          ...plain,
          headers: () => this.#tokenHeaders(instance),
          renew: (refused) => this.#renew(instance, refused),
        }
    }
  }

  async #tokenHeaders(instance: UsableInstance): Promise<Record<string, string>> {
    const row = await this.#read(instance)
    const { grant } = row
    if (!isDue(row.secondsLeft, grant.tokens.expires_in)) return bearer(grant.tokens.access_token)
    const isOver = row.secondsLeft !== null && row.secondsLeft <= 0
    if (grant.tokens.refresh_token === undefined && !isOver) return bearer(grant.tokens.access_token)
    const renewal = this.#refresh.renew(instance, row.version)
    if (isOver) await renewal
    else await Promise.race([renewal.catch(() => {}), pause(AHEAD_WAIT_MS)])
    return bearer((await this.#read(instance)).grant.tokens.access_token)
  }

  /** Renews the token that the server refused, unless a newer token is already stored. */
  async #renew(instance: UsableInstance, refused: Record<string, string>): Promise<boolean> {
    const row = await this.#read(instance)
    const isCurrent = bearer(row.grant.tokens.access_token).authorization === refused['authorization']
    if (isCurrent) await this.#refresh.renew(instance, row.version)
    return true
  }

  /**
   * Reads the current credentials. Checks the origin again, because the account may have been connected to another
   * address since the endpoint was created. Throws McpError if the instance is deleted, inactive or moved.
   */
  async #read(instance: UsableInstance) {
    const { id, sql, url } = instance
    const [row] = await sql<CurrentRow[]>`
      select status, error, credentials, credentials_version as version,
        extract(epoch from expires_at - now())::float8 as "secondsLeft"
      from mcp_instances where ${isInstance(sql, instance)}`
    if (!row) throw new McpError('unauthorized', sentence('mcp.connection_deleted'))
    const stored = openCredentials(this.#deps.secrets, id, row.credentials)
    if (row.status !== 'active' || stored?.type !== 'oauth')
      throw new McpError('unauthorized', row.error ?? sentence('mcp.connection_inactive'))
    checkOrigin(url, stored.origin)
    return { ...row, grant: stored.grant }
  }
}

const isDue = (secondsLeft: number | null, life: number | undefined): boolean =>
  secondsLeft !== null && secondsLeft <= Math.min(AHEAD_SECONDS, (life ?? AHEAD_SECONDS) * AHEAD_SHARE)

function keyHeaders(
  { url, keyHeader }: UsableInstance,
  { origin, key }: Extract<Credentials, { type: 'api_key' }>,
): Record<string, string> {
  checkOrigin(url, origin)
  return keyHeader === null ? {} : { [keyHeader]: key }
}

/** Throws McpError if the credentials were obtained for another origin. */
function checkOrigin(url: string, origin: string): void {
  if (URL.parse(url)?.origin !== origin) throw new McpError('unauthorized', sentence('mcp.moved'))
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })

const NEEDED_CHARACTERS_MAX = 4_000

/**
 * If the server demanded a scope (`insufficient_scope`: RFC 6750, 3.1), stores it, so that reconnecting the account
 * requests it. Ignores all other failures. Never throws.
 */
export function noteNeededScope(
  { log }: Pick<McpDependencies, 'log'>,
  instance: OwnedInstance,
  failure: unknown,
): void {
  if (!(failure instanceof McpError) || failure.scope === undefined) return
  const { id: instanceId, sql } = instance
  sql`
    update mcp_instances
    set needed_scope = left(concat_ws(' ', needed_scope, ${failure.scope}::text), ${NEEDED_CHARACTERS_MAX})
    where ${isInstance(sql, instance)} and status = 'active'
      and strpos(coalesce(needed_scope, ''), ${failure.scope}::text) = 0`.catch((error: unknown) =>
    log.warn({ err: error, instanceId }, 'the scope that an MCP server demanded could not be stored'),
  )
}

/** Returns the scope to request when an account is reconnected. Undefined means the server's default scope. */
export async function widerScope(
  { secrets }: Pick<McpDependencies, 'secrets'>,
  instance: OwnedInstance,
): Promise<string | undefined> {
  const { id, sql } = instance
  const [row] = await sql<{ sealed: string | null; neededScope: string }[]>`
    select credentials as sealed, needed_scope as "neededScope" from mcp_instances
    where ${isInstance(sql, instance)} and needed_scope is not null`
  const stored = row && openReplaced(secrets, id, row.sealed)
  if (stored?.type !== 'oauth') return undefined
  // Imports the SDK only when needed, to keep startup fast.
  const { widenScope } = await import('#platform/mcp/scopes.ts')
  return widenScope(stored.grant, row?.neededScope) ?? undefined
}

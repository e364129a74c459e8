import { sentence } from '#errors'
import type { StoredGrant } from '#platform/mcp/authorization.ts'
import type { McpEndpoint } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { connectionKey, isInstance, type McpDependencies, type OwnedInstance } from './dependencies.ts'
import type { TokenRefresh } from './refresh.ts'
import type { ToolLists } from './tools.ts'

/**
 * The credentials of an instance, stored encrypted and bound to the instance. `origin`: the only origin that they are
 * sent to, even if the catalogue moves the server. Instances of servers without authorization have none.
 */
export type Credentials =
  | { type: 'api_key'; origin: string; key: string }
  | { type: 'oauth'; origin: string; grant: StoredGrant }
  | { type: 'composio'; url: string; isOwn: boolean }

/** Columns of the instance. */
interface StoredCredentials {
  sealed: string | null
  /** Seconds until the access token expires; null if it never does or the lifetime is unknown. */
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

/** Opens credentials that are to be revoked or replaced. Returns null if they were stored under another SECRET. */
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

/** Opens stored credentials. Throws if they were stored under another SECRET. */
export const openCredentials = (
  secrets: Secrets,
  instanceId: string,
  sealed: string | null,
): Credentials | null =>
  sealed === null ? null : (JSON.parse(secrets.decrypt(sealed, instanceId)) as Credentials)

/** An instance, with the fields that calling its server needs. */
interface UsableInstance extends OwnedInstance {
  url: string
  /** The header for a key; null if the server takes none. */
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

/** A token is renewed this many seconds before it expires, or a fifth of its lifetime before if that is shorter. */
const AHEAD_SECONDS = 60
const AHEAD_SHARE = 0.2
/** Maximum wait for a renewal while the current token is valid. The renewal continues in the background. */
const AHEAD_WAIT_MS = 3_000

/**
 * Turns the credentials of instances into request headers. Reads tokens again for every request, so a renewal by
 * another process, or a deletion, takes effect with the next request.
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

  /** Returns how to reach the server with this account. Throws McpError if the server has moved. */
  endpointOf(instance: UsableInstance): McpEndpoint {
    const { secrets, composio } = this.#deps
    const stored = openCredentials(secrets, instance.id, instance.credentials)
    const plain = {
      key: connectionKey(instance.id, instance.url),
      url: instance.url,
      net: 'guarded',
      toolsChanged: () => this.#lists.forget(instance),
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

  /** Renews the refused token, unless it was replaced already. */
  async #renew(instance: UsableInstance, refused: Record<string, string>): Promise<boolean> {
    const row = await this.#read(instance)
    const isCurrent = bearer(row.grant.tokens.access_token).authorization === refused['authorization']
    if (isCurrent) await this.#refresh.renew(instance, row.version)
    return true
  }

  /**
   * Checks the origin again, because the account may have been connected to another address since the endpoint
   * was created.
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

/** Credentials are only sent to the origin that they were given for. */
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
 * Stores the scope that a server demanded (`insufficient_scope`: RFC 6750, 3.1), so that connecting the account
 * again requests it. Ignores other failures. Never throws.
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

/** Returns the scope to request when an account is connected again; undefined for the server's usual one. */
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
  // Loads the SDK only here, to keep startup fast.
  const { widenScope } = await import('#platform/mcp/scopes.ts')
  return widenScope(stored.grant, row?.neededScope) ?? undefined
}

import type { McpEndpoint } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { connectionKey, type McpDependencies } from './dependencies.ts'
import { TokenRefresh } from './refresh-token.ts'
import { type Credentials, openCredentials } from './stored-credentials.ts'

/** An instance with its server, as far as it takes to speak to that one. */
export interface UsableInstance {
  id: string
  url: string
  /** The header of a key, where the server takes keys. */
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

/** A token is renewed so long before its end, or a fifth of its life before, whichever is less. */
const AHEAD_SECONDS = 60
const AHEAD_SHARE = 0.2
/** While the token in hand still lasts, its renewal is waited for so long; it goes on without anybody waiting. */
const AHEAD_WAIT_MS = 3_000

/**
 * What instances show to their servers. Tokens are read anew for every request, so that what another process has
 * renewed, or a person has deleted, holds from the next request on.
 */
export class InstanceCredentials {
  readonly #deps: McpDependencies
  readonly #refresh: TokenRefresh

  constructor(deps: McpDependencies) {
    this.#deps = deps
    this.#refresh = new TokenRefresh(deps)
  }

  /** How the server is reached with this account. */
  endpointOf(instance: UsableInstance): McpEndpoint {
    const { secrets, composio } = this.#deps
    const stored = openCredentials(secrets, instance.id, instance.credentials)
    const plain = {
      key: connectionKey(instance.id, instance.url),
      url: instance.url,
      net: 'guarded',
    } as const
    switch (stored?.type) {
      case undefined:
        return { ...plain, headers: async () => ({}) }
      case 'api_key':
        return { ...plain, headers: async () => keyHeaders(instance, stored) }
      case 'composio': {
        const { url, isOwn } = stored
        const headers = async () => composio?.headers({ isOwn }) ?? {}
        return { key: connectionKey(instance.id, url), url, net: isOwn ? 'open' : 'guarded', headers }
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

  /** Waits for renewals that are under way. */
  close(): Promise<void> {
    return this.#refresh.close()
  }

  async #tokenHeaders(instance: UsableInstance): Promise<Record<string, string>> {
    const row = await this.#read(instance)
    const { grant } = row
    if (!isDue(row.secondsLeft, grant.tokens.expires_in)) return bearer(grant.tokens.access_token)
    const isOver = row.secondsLeft !== null && row.secondsLeft <= 0
    if (grant.tokens.refresh_token === undefined && !isOver) return bearer(grant.tokens.access_token)
    const renewal = this.#refresh.renew(instance.id, row.version)
    if (isOver) await renewal
    else await Promise.race([renewal.catch(() => {}), pause(AHEAD_WAIT_MS)])
    return bearer((await this.#read(instance)).grant.tokens.access_token)
  }

  /** Renews the token that was refused, unless there is another one by now. */
  async #renew(instance: UsableInstance, refused: Record<string, string>): Promise<boolean> {
    const row = await this.#read(instance)
    const isCurrent = bearer(row.grant.tokens.access_token).authorization === refused['authorization']
    if (isCurrent) await this.#refresh.renew(instance.id, row.version)
    return true
  }

  /** Meanwhile the server may have moved, and the account been connected anew where it is now. */
  async #read({ id: instanceId, url }: UsableInstance) {
    const { database, secrets } = this.#deps
    const [row] = await database.sql<CurrentRow[]>`
      select status, error, credentials, credentials_version as version,
        extract(epoch from expires_at - now())::float8 as "secondsLeft"
      from mcp_instances where id = ${instanceId}`
    if (!row) throw new McpError('unauthorized', 'This connection was deleted.')
    const stored = openCredentials(secrets, instanceId, row.credentials)
    if (row.status !== 'active' || stored?.type !== 'oauth')
      throw new McpError('unauthorized', row.error ?? 'This connection is not active.')
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

/** What was given for one place is not shown at another. */
function checkOrigin(url: string, origin: string): void {
  if (URL.parse(url)?.origin !== origin)
    throw new McpError('unauthorized', 'This server has moved. Please connect your account again.')
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref()
  })

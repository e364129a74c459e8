import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#database/new-id.ts'
import { sentence } from '#errors'
import type { StoredGrant } from '#platform/mcp/authorization.ts'
import { AuthorizationError } from '#platform/mcp/authorization-error.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { openReplaced, sealCredentials } from './credentials.ts'
import { isInstance, type McpDependencies, type OwnedInstance } from './dependencies.ts'
import { forgetLostClient } from './providers.ts'

/** Timeout of a renewal request to the provider, in milliseconds. */
const REFRESH_TIMEOUT_MS = 15_000
/** Lifetime of a claim, twice the provider's timeout. A process whose claim expires counts as dead. */
const CLAIM_SECONDS = 30
/** Pause after a renewal failed, in seconds. */
const RETRY_SECONDS = 5
/**
 * Maximum wait for another process's renewal, in milliseconds. Longer than a claim plus a renewal by this process.
 */
const WAIT_MS = 50_000
const POLL_MS = { first: 20, most: 250 }
/** Maximum number of attempts to store new tokens. Retries matter, because the stored tokens are no longer valid. */
const STORE_ATTEMPTS = 10

/** Maximum wait for renewals when the process stops, so that new tokens are stored. */
const STOP_MS = 2_000

const UNREACHABLE = sentence('mcp.renewal_unreachable')

/**
 * Outcome of an attempt to claim a renewal. `ours`: claimed by this caller. `renewed`: newer credentials are stored.
 * `busy`: claimed by another process. `resting`: paused after a failure. `over`: the instance is inactive or deleted.
 */
type Turn =
  | { kind: 'ours'; claim: string; credentials: string }
  | { kind: 'renewed' | 'busy' | 'resting' }
  | { kind: 'over'; error: string }

/**
 * Renews access tokens, once per version, across all callers and processes. Providers that rotate refresh tokens
 * treat a second use as theft and revoke the grant (RFC 9700, 4.14.2).
 *
 * One process therefore claims the row, calls the provider outside of any transaction, and stores the result. Other
 * processes wait for the version to increase. Claims expire, so a dead process blocks other processes only briefly.
 */
export class TokenRefresh {
  readonly #deps: Pick<McpDependencies, 'authorizer' | 'secrets' | 'log'>
  /** Renewals that callers of this process wait for, by instance and version. */
  readonly #flights = new Map<string, Promise<void>>()
  /** Renewals in which this process calls the provider and stores the new tokens. */
  readonly #exchanges = new Set<Promise<void>>()

  constructor(deps: Pick<McpDependencies, 'authorizer' | 'secrets' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Resolves when credentials newer than this version are stored. Throws McpError: `unauthorized` if the instance is
   * deleted or inactive, or if the provider refuses the renewal, which deactivates the instance. `unreachable` if the
   * provider cannot be reached now.
   */
  renew(instance: OwnedInstance, version: number): Promise<void> {
    const key = `${instance.id} ${version}`
    const known = this.#flights.get(key)
    if (known) return known
    const flight = this.#renew(instance, version).finally(() => this.#flights.delete(key))
    this.#flights.set(key, flight)
    return flight
  }

  /** Waits for renewals that call a provider, because losing a new token would break the connection. */
  async close(): Promise<void> {
    const stored = Promise.allSettled(this.#exchanges)
    await Promise.race([stored, sleep(STOP_MS, undefined, { ref: false })])
  }

  #track(exchange: Promise<void>): Promise<void> {
    const forget = (): boolean => this.#exchanges.delete(exchange)
    this.#exchanges.add(exchange)
    exchange.then(forget, forget)
    return exchange
  }

  async #renew(instance: OwnedInstance, version: number): Promise<void> {
    const until = Date.now() + WAIT_MS
    for (let wait = POLL_MS.first; ; wait = Math.min(wait * 2, POLL_MS.most)) {
      const turn = await this.#takeTurn(instance, version)
      if (turn.kind === 'renewed') return
      if (turn.kind === 'over') throw new McpError('unauthorized', turn.error)
      if (turn.kind === 'ours') return this.#track(this.#refresh(instance, version, turn))
      if (turn.kind === 'resting' || Date.now() > until) throw new McpError('unreachable', UNREACHABLE)
      await sleep(wait)
    }
  }

  /** Claims the row. The claim is one statement, so that only one caller succeeds. */
  async #takeTurn(instance: OwnedInstance, version: number): Promise<Turn> {
    const { sql } = instance
    const claim = newId()
    const [claimed] = await sql<{ credentials: string }[]>`
      update mcp_instances set refresh_claim = ${claim},
        refresh_claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
      where ${isInstance(sql, instance)} and credentials_version = ${version} and status = 'active'
        and credentials is not null and (refresh_claimed_until is null or refresh_claimed_until < now())
      returning credentials`
    if (claimed) return { kind: 'ours', claim, credentials: claimed.credentials }
    const [row] = await sql<{ version: number; status: string; error: string | null; isClaimed: boolean }[]>`
      select credentials_version as version, status, error, refresh_claim is not null as "isClaimed"
      from mcp_instances where ${isInstance(sql, instance)}`
    if (row?.status !== 'active')
      return { kind: 'over', error: row?.error ?? sentence('mcp.connection_deleted') }
    if (row.version !== version) return { kind: 'renewed' }
    return { kind: row.isClaimed ? 'busy' : 'resting' }
  }

  async #refresh(
    instance: OwnedInstance,
    version: number,
    { claim, credentials }: Extract<Turn, { kind: 'ours' }>,
  ): Promise<void> {
    const { authorizer, secrets, log } = this.#deps
    const { id: instanceId, sql } = instance
    const stored = openReplaced(secrets, instanceId, credentials)
    if (stored?.type !== 'oauth') {
      await this.#rest(instance, claim)
      throw new McpError('unauthorized', sentence('mcp.nothing_to_renew'))
    }
    let grant: StoredGrant
    try {
      grant = await authorizer.refresh(stored.grant, AbortSignal.timeout(REFRESH_TIMEOUT_MS))
    } catch (error) {
      if (error instanceof AuthorizationError && error.kind === 'refused')
        return this.#giveUp(instance, version, error)
      log.warn({ err: error, instanceId }, 'the access of an MCP instance could not be renewed')
      await this.#rest(instance, claim)
      throw new McpError('unreachable', UNREACHABLE)
    }
    if (await this.#store(instance, version, { ...stored, grant })) return
    const [row] = await sql`select from mcp_instances where ${isInstance(sql, instance)}`
    // Another process has stored newer credentials, so the new tokens are not needed.
    if (row) return
    await authorizer.revoke(grant, AbortSignal.timeout(REFRESH_TIMEOUT_MS)).catch(() => {})
    throw new McpError('unauthorized', sentence('mcp.connection_deleted'))
  }

  /** Stores new tokens if the stored version is unchanged, even if the claim has expired. Returns false otherwise. */
  async #store(
    instance: OwnedInstance,
    version: number,
    credentials: Parameters<typeof sealCredentials>[2],
  ): Promise<boolean> {
    const { secrets, log } = this.#deps
    const { id: instanceId, sql } = instance
    const { sealed, expiresIn } = sealCredentials(secrets, instanceId, credentials)
    const stored = await keepTrying(
      STORE_ATTEMPTS,
      () => sql`
        update mcp_instances set credentials = ${sealed}, credentials_version = ${version + 1},
          expires_at = now() + ${expiresIn}::float8 * interval '1 second',
          refresh_claim = null, refresh_claimed_until = null
        where ${isInstance(sql, instance)} and credentials_version = ${version}`,
      (error, attempt) =>
        log.error({ err: error, instanceId, attempt }, 'renewed access could not be stored'),
    )
    if (stored === undefined) throw new McpError('unreachable', UNREACHABLE)
    return stored.count > 0
  }

  /**
   * Deactivates the instance and throws McpError. If newer tokens are stored, the provider refused only the old
   * tokens, and this function returns.
   */
  async #giveUp(instance: OwnedInstance, version: number, refusal: AuthorizationError): Promise<void> {
    const error = sentence('mcp.access_ended', { reason: refusal.message })
    const { sql } = instance
    const [ended] = await sql<{ serverId: string }[]>`
      update mcp_instances set status = 'inactive', error = ${error}, updated_at = now(),
        refresh_claim = null, refresh_claimed_until = null
      where ${isInstance(sql, instance)} and credentials_version = ${version}
      returning server_id as "serverId"`
    if (!ended) return
    await forgetLostClient(sql, ended.serverId)(refusal).catch(() => {})
    throw new McpError('unauthorized', error)
  }

  async #rest(instance: OwnedInstance, claim: string): Promise<void> {
    const { sql } = instance
    await sql`
      update mcp_instances set refresh_claim = null,
        refresh_claimed_until = now() + ${RETRY_SECONDS} * interval '1 second'
      where ${isInstance(sql, instance)} and refresh_claim = ${claim}`
  }
}

import type { Database } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import type { Client } from '#platform/access/scope.ts'
import { networkOf } from '#platform/net/addresses.ts'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import type { RetentionRule } from '#platform/sweeps/retention.ts'
import { removeClientKeys } from '../api-keys/index.ts'

/** Lifetime of an unused grant and of its last refresh token, in seconds. */
export const REFRESH_SECONDS = 30 * 86_400
/**
 * Lifetime of a registered client, in seconds. Once the client has been connected, it expires after twice this time
 * without use.
 */
const CLIENT_SECONDS = 30 * 86_400
/** Maximum number of unexpired rows that unauthenticated clients can create, per network and in total. */
const ANONYMOUS = {
  /** One row per client registration. */
  Registration: { seconds: 3_600, ofNetworkMax: 20, max: 1_000 },
  /** One row per authorization request. */
  Interaction: { seconds: 900, ofNetworkMax: 50, max: 5_000 },
} as const
type AnonymousKind = keyof typeof ANONYMOUS
/** Maximum number of clients that were never connected. Sweeps delete the oldest of these clients above the limit. */
const UNUSED_CLIENTS_MAX = 10_000
/** A client whose lifetime is longer than CLIENT_SECONDS plus this margin has been connected. */
const UNUSED_MARGIN_SECONDS = 60
/** Maximum number of grants that a sweep ends, and of unused clients that it deletes. */
const SWEPT_MAX = 500

/** Kinds of records whose account id is the id of an API key. */
const OF_A_KEY = ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode']

type Payload = Record<string, unknown>

/** Expired records. Grants end in a sweep of their own, because their API keys end with them. */
export const recordRetention: RetentionRule[] = [
  {
    rows: 'oauth_records',
    async deleteSome(tx, limit) {
      const { count } = await tx`
        delete from oauth_records where (kind, id_hash) in (
          select kind, id_hash from oauth_records where expires_at < now() and kind <> 'Grant'
          order by expires_at limit ${limit} for update skip locked)`
      return count
    },
  },
]

/**
 * Stores the authorization server's records in one table, which all processes share. Ids, including codes and tokens,
 * are stored as hashes, and payloads are encrypted. Deleting an API key deletes its grant and tokens.
 */
export class OAuthRecords {
  readonly #database: Database
  readonly #sql: SystemSql
  readonly #secrets: Services['secrets']

  constructor({ database, secrets }: Pick<Services, 'database' | 'secrets'>) {
    this.#database = database
    this.#sql = systemSql(database)
    this.#secrets = secrets
  }

  /**
   * Inserts or updates a record that expires after `seconds`. Without `seconds`, the record expires like a client. A
   * grant always expires after REFRESH_SECONDS.
   */
  async put(kind: string, id: string, payload: Payload, seconds: number | undefined): Promise<void> {
    const idHash = hashToken(id)
    const sealed = this.#secrets.encrypt(JSON.stringify(payload), contextOf(kind, idHash))
    const groupHash = typeof payload['grantId'] === 'string' ? hashToken(payload['grantId']) : null
    const keyId = OF_A_KEY.includes(kind) ? (payload['accountId'] as string) : null
    const lifetime = kind === 'Grant' ? REFRESH_SECONDS : (seconds ?? CLIENT_SECONDS)
    await this.#sql`
      insert into oauth_records (kind, id_hash, payload, group_hash, api_key_id, expires_at)
      values (${kind}, ${idHash}, ${sealed}, ${groupHash}, ${keyId}, now() + ${lifetime} * interval '1 second')
      on conflict (kind, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`
    if (kind === 'RefreshToken') await this.#prolong(groupHash, String(payload['clientId']))
  }

  async find(kind: string, id: string): Promise<Payload | undefined> {
    const idHash = hashToken(id)
    const [row] = await this.#sql<{ payload: string; consumed: number | null }[]>`
      select payload, extract(epoch from consumed_at)::int as consumed from oauth_records
      where kind = ${kind} and id_hash = ${idHash} and expires_at > now()`
    if (!row) return undefined
    const payload = this.#open(kind, idHash, row.payload)
    if (payload === undefined) return undefined
    return row.consumed === null ? payload : { ...payload, consumed: row.consumed }
  }

  /**
   * Consumes a record. Returns false if the record doesn't exist or is already consumed. One concurrent call wins.
   */
  async consume(kind: string, id: string): Promise<boolean> {
    const { count } = await this.#sql`
      update oauth_records set consumed_at = now()
      where kind = ${kind} and id_hash = ${hashToken(id)} and consumed_at is null and expires_at > now()`
    return count > 0
  }

  /** Deletes a record. Deleting a grant also deletes its API key, and thus all its codes and tokens. */
  async remove(kind: string, id: string, client: Omit<Client, 'userAgent'>): Promise<void> {
    const rows = await this.#sql<{ api_key_id: string | null }[]>`
      delete from oauth_records where kind = ${kind} and id_hash = ${hashToken(id)} returning api_key_id`
    if (kind === 'Grant') await removeClientKeys(this.#database, keysOf(rows), client)
  }

  async removeOfGrant(kind: string, grantId: string): Promise<void> {
    await this.#sql`delete from oauth_records where kind = ${kind} and group_hash = ${hashToken(grantId)}`
  }

  /** Returns the hash of an access token's API key, or null if the token is unknown or expired. */
  async keyHashOf(accessToken: string): Promise<string | null> {
    const [row] = await this.#sql<{ key_hash: string }[]>`
      select k.key_hash from oauth_records r join api_keys k on k.id = r.api_key_id
      where r.kind = 'AccessToken' and r.id_hash = ${hashToken(accessToken)} and r.expires_at > now()`
    return row?.key_hash ?? null
  }

  async hasKey(keyId: string): Promise<boolean> {
    const [row] = await this.#sql`select from api_keys where id = ${keyId}`
    return row !== undefined
  }

  /** Counts a client registration. Returns false if the limit per network or in total is reached. */
  admitRegistration(address: string): Promise<boolean> {
    return this.#addAnonymous('Registration', hashToken(newId()), '', address)
  }

  /** Stores a new authorization request. Returns false if the limit per network or in total is reached. */
  addInteraction(id: string, payload: Payload, address: string): Promise<boolean> {
    const idHash = hashToken(id)
    const sealed = this.#secrets.encrypt(JSON.stringify(payload), contextOf('Interaction', idHash))
    return this.#addAnonymous('Interaction', idHash, sealed, address)
  }

  /**
   * Stores a row unless a limit is reached. The advisory lock keeps concurrent requests from exceeding the limits.
   */
  #addAnonymous(kind: AnonymousKind, idHash: string, payload: string, address: string): Promise<boolean> {
    const { seconds, ofNetworkMax, max } = ANONYMOUS[kind]
    const groupHash = hashToken(`network ${networkOf(address)}`)
    return this.#sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${`anonymous OAuth records: ${kind}`}))`
      const { count } = await tx`
        insert into oauth_records (kind, id_hash, payload, group_hash, expires_at)
        select ${kind}, ${idHash}, ${payload}, ${groupHash}, now() + ${seconds} * interval '1 second'
        where ${ofNetworkMax} > (select count(*) from oauth_records
            where kind = ${kind} and group_hash = ${groupHash} and expires_at > now())
          and ${max} > (select count(*) from oauth_records where kind = ${kind} and expires_at > now())`
      return count > 0
    })
  }

  /** Ends expired grants together with their API keys, and deletes the oldest unused clients above the limit. */
  async sweep(): Promise<void> {
    const ended = await this.#sql<{ api_key_id: string | null }[]>`
      select api_key_id from oauth_records where kind = 'Grant' and expires_at < now() limit ${SWEPT_MAX}`
    await removeClientKeys(this.#database, keysOf(ended), { address: 'this server', requestId: newId() })
    await this.#sql`
      delete from oauth_records where kind = 'Client' and id_hash in (
        select id_hash from oauth_records
        where kind = 'Client'
          and expires_at < created_at + ${CLIENT_SECONDS + UNUSED_MARGIN_SECONDS} * interval '1 second'
        order by created_at desc, id_hash offset ${UNUSED_CLIENTS_MAX} limit ${SWEPT_MAX})`
  }

  /**
   * Decrypts a payload. Returns undefined if it was encrypted with another SECRET. Clients must then register again,
   * and users must consent again.
   */
  #open(kind: string, idHash: string, sealed: string): Payload | undefined {
    try {
      return JSON.parse(this.#secrets.decrypt(sealed, contextOf(kind, idHash))) as Payload
    } catch {
      return undefined
    }
  }

  async #prolong(grantHash: string | null, clientId: string): Promise<void> {
    await this.#sql`
      update oauth_records set expires_at = greatest(expires_at, now() + ${REFRESH_SECONDS} * interval '1 second')
      where kind = 'Grant' and id_hash = ${grantHash}`
    await this.#sql`
      update oauth_records set expires_at = greatest(expires_at, now() + ${2 * CLIENT_SECONDS} * interval '1 second')
      where kind = 'Client' and id_hash = ${hashToken(clientId)}`
  }
}

const contextOf = (kind: string, idHash: string): string => `oauth ${kind} ${idHash}`

const keysOf = (rows: { api_key_id: string | null }[]): string[] =>
  rows.flatMap(({ api_key_id }) => (api_key_id === null ? [] : [api_key_id]))

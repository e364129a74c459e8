import type { TenantStatements } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Sender } from '../../agents/index.ts'
import type { Item } from './items.ts'

/* The owner of stored responses and conversations, and the limits of the items that a request reads. */

export type Owner = Pick<Sender['scope'], 'organizationId' | 'userId' | 'apiKeyId'> & {
  sql: TenantStatements
}

/** An owner whose statements can form a transaction. */
export type StoringOwner = Sender['scope']

export const inTransaction = <Result>(
  { sql, organizationId, userId, apiKeyId }: StoringOwner,
  work: (owner: Owner) => Promise<Result>,
): Promise<Result> =>
  sql.begin((tx) => work({ sql: tx, organizationId, userId, apiKeyId })) as Promise<Result>

/** Maximum number of items that one request reads. @limit stored items that a request reads */
export const ITEMS_MAX = 2_000
/**
 * Maximum size of the stored items that one request reads, in bytes of JSON text. Equal to that of a request.
 * @limit all stored items that a request reads
 */
export const BYTES_MAX = 20 * 1024 * 1024

/** Returns SQL for the condition that the response or conversation `r` is the caller's and has not expired. */
export const isOwn = ({ sql, organizationId, userId, apiKeyId }: Owner) =>
  sql`r.organization_id = ${organizationId} and r.user_id = ${userId}
    and r.api_key_id is not distinct from ${apiKeyId}::uuid and r.expires_at > now()`

/**
 * SQL for a CTE `organization` that locks the row whose `stored_bytes` a statement changes, before the statement changes
 * others (docs/lock-order.md). The statement must join it.
 */
export const lockedOrganization = ({ sql, organizationId }: Owner) => sql`
  organization as materialized (select id from organizations where id = ${organizationId} for no key update)`

/** Part of a list of items, in order. */
export interface ItemRange {
  isDescending?: boolean
  /** Item before the first one. */
  afterId?: string | null
  limit?: number
}

export const withSize = (item: Item) => ({
  ...item,
  bytes: Buffer.byteLength(JSON.stringify(item.content)) + Buffer.byteLength(item.signature ?? ''),
})

/** An item, or null in place of content beyond the size that one request reads. */
export type BoundedItem = Omit<Item, 'content'> & { content: Item['content'] | null }

/** Returns the items if all of them were read. Throws request.invalid otherwise. */
export function complete(rows: readonly BoundedItem[], isCut = false): Item[] {
  if (isCut || rows.length > ITEMS_MAX || rows.some(({ content }) => content === null))
    throw fail('request.invalid', {
      reason: sentence('openai.chain_too_long', { items: ITEMS_MAX, megabytes: BYTES_MAX / 1024 / 1024 }),
    })
  return rows.map(({ id, content, signature }) => ({ id, content: content as Item['content'], signature }))
}

/**
 * Returns items of responses and conversations by their ids, as a map. Throws request.invalid if they are too large.
 * Items that don't exist are missing from the map.
 */
export async function findItems(owner: Owner, ids: readonly string[]): Promise<Map<string, Item>> {
  if (ids.length === 0) return new Map()
  const { sql, organizationId, userId } = owner
  const rows = await sql<BoundedItem[]>`
    select id, signature, case when sum(bytes) over (order by id) <= ${BYTES_MAX} then content end as content
    from (
      select i.id, i.signature, i.bytes, i.content
      from response_items i join responses r on r.id = i.response_id and ${isOwn(owner)}
      where i.organization_id = ${organizationId} and i.user_id = ${userId} and i.id = any(${ids as string[]}::uuid[])
      union all
      select i.id, i.signature, i.bytes, i.content
      from response_conversation_items i join response_conversations r on r.id = i.conversation_id and ${isOwn(owner)}
      where i.organization_id = ${organizationId} and i.user_id = ${userId} and i.id = any(${ids as string[]}::uuid[])
    ) as found`
  return new Map(complete(rows).map((item) => [item.id, item]))
}

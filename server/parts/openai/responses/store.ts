import { fail } from '#errors'
import { quotaFull, reservation } from '#platform/limits/stored-bytes.ts'
import { type Item, uuidIn } from './items.ts'
import {
  type BoundedItem,
  BYTES_MAX,
  complete,
  ITEMS_MAX,
  type ItemRange,
  isOwn,
  lockedOrganization,
  type Owner,
  withSize,
} from './stored-items.ts'
import type { ResponseView } from './view-response.ts'

/*
 * Stored responses. A response stores only the items that it adds, so a chain of responses stores no item twice. Each
 * statement finds only responses of the caller: of the same user, and of the same API key or of none.
 */

/**
 * Maximum number of responses in a chain. No model has a context for more.
 * @limit stored responses that a response continues
 */
const CHAIN_MAX = 1_000

/** Returns for how many days the organization stores responses. 0 means that it stores none. */
export async function readRetentionDays({ sql, organizationId }: Owner): Promise<number> {
  const [row] = await sql<{ days: number }[]>`
    select response_retention_days as days from organizations where id = ${organizationId}`
  return row?.days ?? 0
}

/** A response to store, with the items that it adds to its chain. */
export interface NewResponse {
  id: string
  previousId: string | null
  view: ResponseView
  input: readonly Item[]
  output: readonly Item[]
}

/** Throws upload.quota. */
export async function storeResponse(
  { sql, organizationId, userId, apiKeyId }: Owner,
  { id, previousId, view, input, output }: NewResponse,
  days: number,
): Promise<void> {
  const rows = [...input, ...output].map((item, position) => ({
    ...withSize(item),
    position,
    is_output: position >= input.length,
  }))
  const stored = JSON.stringify({ ...view, output: [] })
  const bytes = rows.reduce((sum, row) => sum + row.bytes, Buffer.byteLength(stored))
  const [{ limit } = { limit: null }] = await sql<{ limit: string | null }[]>`
    with reserved as materialized (select ${reservation(sql, organizationId, bytes)} as limit),
    stored as (
      insert into responses
        (id, organization_id, user_id, api_key_id, previous_id, view, stored_bytes, expires_at)
      select ${id}, ${organizationId}, ${userId}, ${apiKeyId}, ${previousId}::uuid, ${stored}::text::jsonb, ${bytes}::bigint,
        now() + ${days} * interval '1 day'
      from reserved where reserved.limit is null returning id),
    items as (
      insert into response_items
        (id, organization_id, user_id, response_id, position, is_output, content, signature, bytes)
      select i.id, ${organizationId}, ${userId}, stored.id, i.position, i.is_output, i.content, i.signature, i.bytes
      from stored cross join jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        as i (id uuid, position int, is_output bool, content jsonb, signature text, bytes int))
    select reserved.limit from reserved`
  if (limit !== null) throw quotaFull(limit)
}

/** Returns a stored response without its output. Throws openai.response_not_found. */
export async function findResponse(owner: Owner, name: string): Promise<{ id: string; view: ResponseView }> {
  const { sql } = owner
  const id = uuidIn(name)
  const [found] = await sql<{ view: ResponseView }[]>`
    select r.view from responses r where r.id = ${id} and ${isOwn(owner)}`
  if (id === null || !found) throw fail('openai.response_not_found', { value: name })
  return { id, view: found.view }
}

/** Deletes a response. Responses that continue it cannot be continued any more. Throws openai.response_not_found. */
export async function deleteResponse(owner: Owner, name: string): Promise<void> {
  const { sql } = owner
  const { count } = await sql`
    with ${lockedOrganization(owner)}
    delete from responses r using organization
    where r.organization_id = organization.id and r.id = ${uuidIn(name)} and ${isOwn(owner)}`
  if (count === 0) throw fail('openai.response_not_found', { value: name })
}

/** Returns items of a response. If the item `afterId` is not one of them, returns none. */
export const listItems = (
  { sql, organizationId, userId }: Owner,
  responseId: string,
  { isOutput, isDescending = false, afterId = null, limit = ITEMS_MAX }: ItemRange & { isOutput: boolean },
) => {
  const own = sql`i.organization_id = ${organizationId} and i.user_id = ${userId}
    and i.response_id = ${responseId} and i.is_output = ${isOutput}`
  const after = sql`(select i.position from response_items i where ${own} and i.id = ${afterId}::uuid)`
  return sql<Item[]>`
    select i.id, i.content, i.signature from response_items i
    where ${own} and (${afterId}::uuid is null
      or ${isDescending ? sql`i.position < ${after}` : sql`i.position > ${after}`})
    order by i.position ${isDescending ? sql`desc` : sql``} limit ${limit}`
}

/**
 * Returns the items of a response and of all responses before it, oldest first. Throws openai.previous_not_found if one
 * of them is missing, and request.invalid if they are too large.
 */
export async function readChain(owner: Owner, name: string): Promise<Item[]> {
  const { sql, organizationId, userId } = owner
  const rows = await sql<(BoundedItem & { previous_id: string | null; depth: number })[]>`
    with recursive chain as (
      select r.id, r.previous_id, 1 as depth from responses r where r.id = ${uuidIn(name)} and ${isOwn(owner)}
      union all
      select r.id, r.previous_id, depth + 1 from chain join responses r on r.id = chain.previous_id
      where ${isOwn(owner)} and depth < ${CHAIN_MAX})
    select chain.depth, chain.previous_id, i.id, i.signature,
      case when sum(i.bytes) over (order by chain.depth, i.position desc) <= ${BYTES_MAX} then i.content end as content
    from chain join response_items i on i.response_id = chain.id
      and i.organization_id = ${organizationId} and i.user_id = ${userId}
    order by chain.depth desc, i.position limit ${ITEMS_MAX + 1}`
  const [first] = rows
  const isWhole = first?.previous_id === null
  if (!first || (!isWhole && first.depth < CHAIN_MAX))
    throw fail('openai.previous_not_found', { value: name })
  return complete(rows, !isWhole)
}

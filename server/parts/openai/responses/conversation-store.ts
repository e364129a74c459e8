import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { quotaFull, reservation, reservationOf, reserveBytes } from '#platform/limits/stored-bytes.ts'
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

/* Stored conversations, each visible only to its user and API key, as responses are. */

export interface ConversationRow {
  id: string
  metadata: Record<string, unknown>
  /** Unix time in seconds. */
  created: number
}

const columns = ({ sql }: Owner) => sql`r.id, r.metadata, extract(epoch from r.created_at)::int as created`

/** Creates a conversation with its first items, in the caller's transaction. Throws upload.quota. */
export async function insertConversation(
  owner: Owner,
  metadata: object,
  items: readonly Item[],
  days: number,
): Promise<ConversationRow> {
  const { sql, organizationId, userId, apiKeyId } = owner
  const stored = JSON.stringify(metadata)
  const [row] = await sql<[ConversationRow & { bytes: number }]>`
    with ${lockedOrganization(owner)}
    insert into response_conversations as r
      (id, organization_id, user_id, api_key_id, metadata, stored_bytes, expires_at)
    select ${newId()}, organization.id, ${userId}, ${apiKeyId}::uuid, ${stored}::text::jsonb,
      octet_length(${stored}::text::jsonb::text), now() + ${days} * interval '1 day'
    from organization
    returning ${columns(owner)}, stored_bytes::int as bytes`
  await reserveBytes(sql, organizationId, row.bytes)
  if (items.length > 0) await appendItems(owner, row.id, items, days)
  return row
}

/** Throws openai.conversation_not_found. */
export async function findConversation(owner: Owner, name: string): Promise<ConversationRow> {
  const { sql } = owner
  const [row] = await sql<ConversationRow[]>`
    select ${columns(owner)} from response_conversations r where r.id = ${uuidIn(name)} and ${isOwn(owner)}`
  return row ?? missing(name)
}

/** A conversation, or nulls if the organization's storage is full. */
type Unchanged = { [Column in keyof ConversationRow]: ConversationRow[Column] | null }

/** Throws openai.conversation_not_found, upload.quota. */
export async function changeMetadata(owner: Owner, name: string, metadata: object): Promise<ConversationRow> {
  const { sql, organizationId } = owner
  const stored = JSON.stringify(metadata)
  const [row] = await sql<(Unchanged & { limit: string | null })[]>`
    with ${lockedOrganization(owner)},
    found as (
      select r.id, octet_length(${stored}::text::jsonb::text) - octet_length(r.metadata::text) as added
      from organization join response_conversations r on r.organization_id = organization.id
      where r.id = ${uuidIn(name)} and ${isOwn(owner)} for no key update of r),
    reserved as materialized (select found.*, ${reservationOf(sql, organizationId, sql`found.added`)} as limit from found),
    changed as (
      update response_conversations r set metadata = ${stored}::text::jsonb, stored_bytes = r.stored_bytes + reserved.added
      from reserved where r.id = reserved.id and ${isOwn(owner)} and reserved.limit is null
      returning ${columns(owner)})
    select changed.*, reserved.limit from reserved left join changed using (id)`
  if (!row) return missing(name)
  if (row.limit !== null) throw quotaFull(row.limit)
  return row as ConversationRow
}

/** Throws openai.conversation_not_found. */
export async function deleteConversation(owner: Owner, name: string): Promise<void> {
  const { sql } = owner
  const { count } = await sql`
    with ${lockedOrganization(owner)}
    delete from response_conversations r using organization
    where r.organization_id = organization.id and r.id = ${uuidIn(name)} and ${isOwn(owner)}`
  if (count === 0) missing(name)
}

/**
 * Adds items at the end of a conversation, and stores it for the full retention again. If the conversation is gone, adds
 * nothing. Throws upload.quota.
 */
export async function appendItems(
  owner: Owner,
  conversationId: string,
  items: readonly Item[],
  days: number,
): Promise<void> {
  const { sql, organizationId, userId } = owner
  const rows = items.map(withSize)
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  const [row] = await sql<{ limit: string | null }[]>`
    with ${lockedOrganization(owner)},
    found as (
      select c.id from organization join response_conversations c on c.organization_id = organization.id
      where c.organization_id = ${organizationId} and c.user_id = ${userId} and c.id = ${conversationId}
      for no key update of c),
    reserved as materialized (select found.id, ${reservation(sql, organizationId, bytes)} as limit from found),
    used as (
      update response_conversations c
      set expires_at = now() + ${days} * interval '1 day', stored_bytes = stored_bytes + ${bytes}::bigint
      from reserved where c.id = reserved.id and c.organization_id = ${organizationId} and c.user_id = ${userId}
        and reserved.limit is null
      returning c.id),
    added as (
      insert into response_conversation_items
        (id, organization_id, user_id, conversation_id, content, signature, bytes)
      select i.id, ${organizationId}, ${userId}, used.id, i.content, i.signature, i.bytes
      from used, rows from (
        jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
          as (id uuid, content jsonb, signature text, bytes int)
        ) with ordinality as i (id, content, signature, bytes, place)
      order by i.place)
    select reserved.limit from reserved`
  if (row?.limit != null) throw quotaFull(row.limit)
}

/** Returns SQL for the condition that the item `i` belongs to a conversation of the owner. */
const isItemOf = ({ sql, organizationId, userId }: Owner, conversationId: string) =>
  sql`i.organization_id = ${organizationId} and i.user_id = ${userId} and i.conversation_id = ${conversationId}`

/** Returns items of a conversation. If the item `afterId` is not one of them, returns none. */
export const listConversationItems = (
  owner: Owner,
  conversationId: string,
  { isDescending = false, afterId = null, limit = ITEMS_MAX }: ItemRange,
) => {
  const { sql } = owner
  const own = isItemOf(owner, conversationId)
  const after = sql`(
    select i.position from response_conversation_items i where ${own} and i.id = ${afterId}::uuid)`
  return sql<Item[]>`
    select i.id, i.content, i.signature from response_conversation_items i
    where ${own} and (${afterId}::uuid is null
      or ${isDescending ? sql`i.position < ${after}` : sql`i.position > ${after}`})
    order by i.position ${isDescending ? sql`desc` : sql``} limit ${limit}`
}

/**
 * Returns the items of a conversation, oldest first. Throws openai.conversation_not_found, and request.invalid if they
 * are too large.
 */
export async function readConversation(owner: Owner, name: string): Promise<{ id: string; items: Item[] }> {
  const { id } = await findConversation(owner, name)
  const { sql } = owner
  const rows = await sql<BoundedItem[]>`
    select i.id, i.signature,
      case when sum(i.bytes) over (order by i.position) <= ${BYTES_MAX} then i.content end as content
    from response_conversation_items i
    where ${isItemOf(owner, id)}
    order by i.position limit ${ITEMS_MAX + 1}`
  return { id, items: complete(rows) }
}

/** Throws openai.conversation_not_found, openai.item_missing. */
export async function findConversationItem(owner: Owner, conversation: string, name: string): Promise<Item> {
  const { sql } = owner
  const { id } = await findConversation(owner, conversation)
  const [item] = await sql<Item[]>`
    select i.id, i.content, i.signature from response_conversation_items i
    where ${isItemOf(owner, id)} and i.id = ${uuidIn(name)}`
  if (!item) throw fail('openai.item_missing', { value: name })
  return item
}

/** Runs in the caller's transaction. Throws openai.conversation_not_found, openai.item_missing. */
export async function deleteConversationItem(
  owner: Owner,
  conversation: string,
  name: string,
): Promise<ConversationRow> {
  const { sql, organizationId, userId } = owner
  const found = await findConversation(owner, conversation)
  const [gone] = await sql<{ freed: number }[]>`
    with ${lockedOrganization(owner)},
    gone as (
      delete from response_conversation_items i using organization
      where i.organization_id = organization.id and ${isItemOf(owner, found.id)} and i.id = ${uuidIn(name)}
      returning i.bytes),
    counted as (
      select c.id, least(c.stored_bytes, gone.bytes) as freed from gone, response_conversations c
      where c.id = ${found.id} and c.organization_id = ${organizationId} and c.user_id = ${userId}
      for no key update of c)
    update response_conversations c set stored_bytes = c.stored_bytes - counted.freed
    from counted where c.id = counted.id and c.organization_id = ${organizationId} and c.user_id = ${userId}
    returning counted.freed::int`
  if (!gone) throw fail('openai.item_missing', { value: name })
  await reserveBytes(sql, organizationId, -gone.freed)
  return found
}

const missing = (name: string): never => {
  throw fail('openai.conversation_not_found', { value: name })
}

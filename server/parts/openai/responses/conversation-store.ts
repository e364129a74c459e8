import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { type Item, uuidIn } from './items.ts'
import {
  type BoundedItem,
  BYTES_MAX,
  complete,
  ITEMS_MAX,
  type ItemRange,
  isOwn,
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

export async function insertConversation(
  owner: Owner,
  metadata: object,
  days: number,
): Promise<ConversationRow> {
  const { sql, organizationId, userId, apiKeyId } = owner
  const [row] = await sql<ConversationRow[]>`
    insert into response_conversations as r (id, organization_id, user_id, api_key_id, metadata, expires_at)
    values (${newId()}, ${organizationId}, ${userId}, ${apiKeyId}, ${JSON.stringify(metadata)}::text::jsonb,
      now() + ${days} * interval '1 day')
    returning ${columns(owner)}`
  return row as ConversationRow
}

/** Throws openai.conversation_not_found. */
export async function findConversation(owner: Owner, name: string): Promise<ConversationRow> {
  const { sql } = owner
  const [row] = await sql<ConversationRow[]>`
    select ${columns(owner)} from response_conversations r where r.id = ${uuidIn(name)} and ${isOwn(owner)}`
  return row ?? missing(name)
}

/** Throws openai.conversation_not_found. */
export async function changeMetadata(owner: Owner, name: string, metadata: object): Promise<ConversationRow> {
  const { sql } = owner
  const [row] = await sql<ConversationRow[]>`
    update response_conversations r set metadata = ${JSON.stringify(metadata)}::text::jsonb
    where r.id = ${uuidIn(name)} and ${isOwn(owner)} returning ${columns(owner)}`
  return row ?? missing(name)
}

/** Throws openai.conversation_not_found. */
export async function deleteConversation(owner: Owner, name: string): Promise<void> {
  const { sql } = owner
  const { count } = await sql`
    delete from response_conversations r where r.id = ${uuidIn(name)} and ${isOwn(owner)}`
  if (count === 0) missing(name)
}

/** Adds items at the end of a conversation, and stores it for the full retention again. */
export async function appendItems(
  { sql, organizationId, userId }: Owner,
  conversationId: string,
  items: readonly Item[],
  days: number,
): Promise<void> {
  await sql`
    with used as (
      update response_conversations set expires_at = now() + ${days} * interval '1 day'
      where organization_id = ${organizationId} and user_id = ${userId} and id = ${conversationId} returning id)
    insert into response_conversation_items
      (id, organization_id, user_id, conversation_id, content, signature, bytes)
    select i.id, ${organizationId}, ${userId}, used.id, i.content, i.signature, i.bytes
    from used, rows from (
      jsonb_to_recordset(${JSON.stringify(items.map(withSize))}::text::jsonb)
        as (id uuid, content jsonb, signature text, bytes int)
      ) with ordinality as i (id, content, signature, bytes, place)
    order by i.place`
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
  if (!item) throw fail('openai.item_missing', { id: name })
  return item
}

/** Throws openai.conversation_not_found, openai.item_missing. */
export async function deleteConversationItem(
  owner: Owner,
  conversation: string,
  name: string,
): Promise<ConversationRow> {
  const { sql } = owner
  const found = await findConversation(owner, conversation)
  const { count } = await sql`
    delete from response_conversation_items i
    where ${isItemOf(owner, found.id)} and i.id = ${uuidIn(name)}`
  if (count === 0) throw fail('openai.item_missing', { id: name })
  return found
}

const missing = (name: string): never => {
  throw fail('openai.conversation_not_found', { id: name })
}

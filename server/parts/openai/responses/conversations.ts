import type { Static } from 'typebox'
import { fail, sentence } from '#errors'
import type { ConversationItems, ConversationMetadata, NewConversation } from './conversation-schemas.ts'
import {
  appendItems,
  type ConversationRow,
  changeMetadata,
  deleteConversation,
  deleteConversationItem,
  findConversation,
  findConversationItem,
  insertConversation,
  listConversationItems,
} from './conversation-store.ts'
import { nameOf, viewItem } from './items.ts'
import { type ItemPage, viewPage } from './manage-responses.ts'
import { readInput } from './read-input.ts'
import { readRetentionDays } from './store.ts'
import { inTransaction, type Owner, type StoringOwner } from './stored-items.ts'

/**
 * Maximum size of the metadata of a conversation, in bytes of JSON text. OpenAI's own limits allow about 10 KB.
 * @limit metadata of a conversation
 */
const METADATA_BYTES_MAX = 16 * 1024

const view = ({ id, metadata, created }: ConversationRow) => ({
  id: nameOf('conversation', id),
  object: 'conversation' as const,
  created_at: created,
  metadata,
})

/**
 * Creates a conversation with its first items. Throws openai.stores_nothing, openai.item_not_found, upload.quota, and
 * request.invalid if the metadata is too large.
 */
export async function createConversation(
  owner: StoringOwner,
  { items = null, metadata }: Static<typeof NewConversation>,
) {
  const days = await daysOf(owner)
  const first = items?.length ? await readInput(owner, items) : []
  return view(await inTransaction(owner, (tx) => insertConversation(tx, bounded(metadata), first, days)))
}

export const getConversation = async (owner: Owner, name: string) => view(await findConversation(owner, name))

export const updateConversation = async (
  owner: Owner,
  name: string,
  { metadata }: Static<typeof ConversationMetadata>,
) => view(await changeMetadata(owner, name, bounded(metadata)))

export async function removeConversation(owner: Owner, name: string) {
  await deleteConversation(owner, name)
  return { id: name, object: 'conversation.deleted' as const, deleted: true }
}

export async function listHistory(owner: Owner, name: string, page: ItemPage) {
  const { id } = await findConversation(owner, name)
  return viewPage(page, (range) => listConversationItems(owner, id, range))
}

/**
 * Adds items. Returns them as a page. Throws openai.conversation_not_found, openai.item_not_found, upload.quota.
 */
export async function addToHistory(owner: Owner, name: string, { items }: Static<typeof ConversationItems>) {
  const { id } = await findConversation(owner, name)
  const added = await readInput(owner, items)
  await appendItems(owner, id, added, await daysOf(owner))
  return viewPage({ order: 'asc', limit: added.length }, async () => added)
}

export const getHistoryItem = async (owner: Owner, conversation: string, name: string) =>
  viewItem(await findConversationItem(owner, conversation, name))

export const removeHistoryItem = async (owner: StoringOwner, conversation: string, name: string) =>
  view(await inTransaction(owner, (tx) => deleteConversationItem(tx, conversation, name)))

function bounded(metadata: Static<typeof ConversationMetadata>['metadata']): object {
  if (Buffer.byteLength(JSON.stringify(metadata ?? {})) > METADATA_BYTES_MAX)
    throw fail('request.invalid', {
      reason: sentence('openai.metadata_too_large', { kilobytes: METADATA_BYTES_MAX / 1024 }),
    })
  return metadata ?? {}
}

/** Throws openai.stores_nothing. */
async function daysOf(owner: Owner): Promise<number> {
  const days = await readRetentionDays(owner)
  if (days === 0) throw fail('openai.stores_nothing')
  return days
}

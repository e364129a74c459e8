import type { LineOf } from './import-schemas.ts'
import type { NewRows } from './import-tables-system.ts'
import { type Importing, NOWHERE, OF_OTHERS } from './importing.ts'

/** Converts a chat of the importing user. Its title is indexed for search later (chat/index-messages-system.ts). */
export function chatRows(line: LineOf<'chats'>, importing: Importing): NewRows | null {
  if (!importing.isOwn(line) || line.deployment_id !== null) return importing.leaveOut('chats', OF_OTHERS)
  const { title, status, settings = {}, is_conversation, pinned, folder, last_message_at } = line
  const owned = importing.owned(line)
  importing.leaves.set(line.id, line.leaf_message_id)
  return {
    chats: [
      {
        ...owned,
        title,
        status,
        settings,
        is_conversation,
        pinned,
        folder,
        model_id: line.model_id && importing.modelOf(line.model_id),
        agent_id: line.agent_id && knownAgent(importing, line.agent_id),
        last_message_at,
      },
    ],
    chat_words: [{ ...wordsOf(importing, owned.id), chat_id: owned.id, title }],
  }
}

const knownAgent = (importing: Importing, id: string): string | null =>
  importing.has('agents', id) ? importing.idOf(id) : null

/** Columns of a row in chat_words. A row without words is indexed later. */
const wordsOf = ({ organizationId, userId }: Importing, id: string) => ({
  id,
  organization_id: organizationId,
  user_id: userId,
})

/**
 * Converts a message, and adds it to the counters of its chat. If its parent does not precede it in the same chat, the
 * message becomes the first of a branch.
 */
export function messageRows(line: LineOf<'messages'>, importing: Importing): NewRows | null {
  if (!importing.isOwn(line)) return importing.leaveOut('messages', OF_OTHERS)
  if (!importing.has('chats', line.chat_id)) return importing.leaveOut('messages', NOWHERE)
  const chat = importing.openChat(line.chat_id)
  const id = importing.idOf(line.id)
  const chat_id = importing.idOf(line.chat_id)
  const parent = line.parent_message_id && importing.idOf(line.parent_message_id)
  chat.messages.add(id)
  chat.hasLeaf ||= line.id === chat.leaf
  const { role, content, reasoning, error, tool_calls, created_at } = line
  const message = {
    ...wordsOf(importing, id),
    chat_id,
    // A reply's id must be greater than its parent's id, because deletion relies on this order
    // (delete-rows-system.ts).
    parent_message_id: parent && parent < id && chat.messages.has(parent) ? parent : null,
    role,
    content,
    reasoning,
    status: line.status === 'streaming' ? 'stopped' : line.status,
    error,
    failure: line.failure,
    finish_reason: line.finish_reason,
    model_id: line.model_id && importing.modelOf(line.model_id),
    agent_id: line.agent_id && knownAgent(importing, line.agent_id),
    input_tokens: line.input_tokens,
    output_tokens: line.output_tokens,
    ...referencesOf(line, importing),
    tool_calls,
    created_at,
  }
  const counted = {
    id: chat_id,
    messages: 1,
    input: line.input_tokens ?? 0,
    output: line.output_tokens ?? 0,
    // If the leaf in the export isn't imported, the last message becomes the leaf.
    leaf: chat.leaf && (chat.hasLeaf ? importing.idOf(chat.leaf) : id),
  }
  return {
    chat_messages: [message],
    chat_words: [{ ...wordsOf(importing, id), chat_id, title: null }],
    chat_counts: [counted],
  }
}

/** Maps the files and citations of a message to their new ids. Drops files that were not imported. */
function referencesOf({ upload_ids, citations, media }: LineOf<'messages'>, importing: Importing) {
  const isThere = (id: string): boolean => importing.has('files', id)
  return {
    upload_ids: upload_ids && importing.idsOf(upload_ids.filter(isThere)),
    citations: citations?.map((citation) => ({
      ...citation,
      ...(citation.kb_id !== undefined && { kb_id: importing.idOf(citation.kb_id) }),
      document_id: importing.idOf(citation.document_id),
      chunk_id: importing.idOf(citation.chunk_id),
    })),
    media: media
      ?.filter(({ upload_id: id }) => isThere(id))
      .map((one) => ({ ...one, upload_id: importing.idOf(one.upload_id) })),
  }
}

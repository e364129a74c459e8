import { OWNER, type OwnedTables, ROWS_WITH_TEXT, TIMES } from '#platform/tables/owned-tables.ts'

const PRIVATE = { not: 'Chats are private to their user.' }

export const chatTables: OwnedTables = {
  chats: {
    resource: { kind: 'chat', notFound: 'chat.not_found' },
    audit: PRIVATE,
    export: {
      name: 'chats',
      columns: `
        ${OWNER} title status settings is_conversation pinned folder model_id agent_id deployment_id visitor_id
        leaf_message_id last_message_at ${TIMES}`,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  chat_messages: {
    audit: PRIVATE,
    export: {
      name: 'messages',
      columns: `
        ${OWNER} chat_id parent_message_id role content reasoning status error failure finish_reason model_id agent_id
        input_tokens output_tokens upload_ids citations media tool_calls created_at`,
      within: { table: 'chats', column: 'chat_id' },
      rowsMax: ROWS_WITH_TEXT,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  chat_words: {
    audit: PRIVATE,
    export: { not: 'The index is rebuilt from the messages.' },
    erasure: 'cascade',
  },
  reply_keys: {
    audit: PRIVATE,
    export: { not: 'Idempotency keys expire after a day.' },
    erasure: 'cascade',
  },
}

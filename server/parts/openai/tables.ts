import { OWNER, type OwnedTables, ROWS_LARGE, ROWS_WITH_TEXT } from '#platform/tables/owned-tables.ts'

const PRIVATE = { not: 'Responses are private to their user.' }

export const openAiTables: OwnedTables = {
  responses: {
    audit: PRIVATE,
    export: {
      name: 'responses',
      columns: `${OWNER} api_key_id previous_id view created_at expires_at`,
      rowsMax: ROWS_WITH_TEXT,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  response_items: {
    audit: PRIVATE,
    export: {
      name: 'response_items',
      columns: `${OWNER} response_id position is_output content`,
      within: { table: 'responses', column: 'response_id' },
      rowsMax: ROWS_LARGE,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  response_conversations: {
    audit: PRIVATE,
    export: {
      name: 'response_conversations',
      columns: `${OWNER} api_key_id metadata created_at expires_at`,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
  response_conversation_items: {
    audit: PRIVATE,
    export: {
      name: 'response_conversation_items',
      columns: `${OWNER} conversation_id position content`,
      within: { table: 'response_conversations', column: 'conversation_id' },
      rowsMax: ROWS_LARGE,
      isPersonal: true,
    },
    erasure: 'cascade',
  },
}

import { OWNER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

const PRIVATE = { not: 'Conversations are private to their user.' }

export const conversationTables: OwnedTables = {
  conversations: {
    audit: PRIVATE,
    export: { name: 'conversations', columns: `${OWNER} title is_archived ${TIMES}`, isPersonal: true },
    erasure: 'cascade',
  },
  conversation_sessions: {
    audit: PRIVATE,
    export: {
      name: 'conversation_sessions',
      columns: `${OWNER} conversation_id model_id status ${TIMES}`,
      within: { table: 'conversations', column: 'conversation_id' },
      isPersonal: true,
    },
    erasure: 'cascade',
  },
}

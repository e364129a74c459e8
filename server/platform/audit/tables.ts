import { type OwnedTables, ROWS_WITH_TEXT } from '../tables/owned-tables.ts'

export const auditTables: OwnedTables = {
  audit_entries: {
    audit: { not: 'This is the audit log.' },
    export: {
      name: 'audit',
      columns: `
        id organization_id actor_id api_key_id action record_type record_id before after ip_address request_id
        created_at`,
      rowsMax: ROWS_WITH_TEXT,
    },
    erasure: { inPiecesBy: 'id' },
  },
}

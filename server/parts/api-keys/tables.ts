import type { AuditedTable, OwnedTables } from '#platform/tables/owned-tables.ts'

export const API_KEY: AuditedTable = { type: 'api_key', secrets: ['key_hash'] }

export const apiKeyTables: OwnedTables = {
  api_keys: {
    resource: { kind: 'apiKey', notFound: 'api_key.not_found' },
    audit: API_KEY,
    export: { not: 'A key is shown only once, and its hash is useless elsewhere.' },
    erasure: 'cascade',
  },
}

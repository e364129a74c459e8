import type { AuditedTable, OwnedTables } from '#platform/tables/owned-tables.ts'

export const BUDGET: AuditedTable = { type: 'budget', secrets: [] }

export const LIMIT: AuditedTable = { type: 'limit', secrets: [] }

export const billingTables: OwnedTables = {
  budgets: {
    audit: BUDGET,
    export: { not: 'Budgets only limit spending on this server.' },
    erasure: 'cascade',
  },
  minute_limits: {
    audit: LIMIT,
    export: { not: 'Limits only apply to this server.' },
    erasure: 'cascade',
  },
}

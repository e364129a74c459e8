import type { AuditedTable, OwnedTables } from '#platform/tables/owned-tables.ts'

export const BUDGET: AuditedTable = { type: 'budget', secrets: [] }

export const billingTables: OwnedTables = {
  budgets: {
    audit: BUDGET,
    export: { not: 'Budgets only limit spending on this server.' },
    erasure: 'cascade',
  },
}

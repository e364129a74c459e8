import type { AuditedTable, OwnedTables } from '#platform/tables/owned-tables.ts'

export const BUDGET: AuditedTable = { type: 'budget', secrets: [] }

export const billingTables: OwnedTables = {
  budgets: {
    audit: BUDGET,
    export: { not: 'Budgets bound spending here, and mean nothing elsewhere.' },
    erasure: 'cascade',
  },
}

import type { OwnedTables } from '../tables/owned-tables.ts'

export const ledgerTables: OwnedTables = {
  ledger_entries: {
    audit: { not: 'The ledger is a record itself. Only manual bookings are audited too.' },
    export: {
      name: 'ledger',
      columns: `
        id position organization_id kind quantity amount balance_after hold_id model_id user_id api_key_id
        agent_id deployment_id chat_id message_id counterparty_id usage reason created_at`,
      key: [['position', 'bigint']],
    },
    erasure: { inPiecesBy: 'position' },
  },
  usage_days: {
    audit: { not: 'Daily sums of the ledger.' },
    export: {
      name: 'usage_days',
      columns: `
        organization_id day model_id user_id api_key_id agent_id deployment_id messages input_tokens
        output_tokens credits`,
      key: [
        ['day', 'date'],
        ['ctid', 'tid'],
      ],
    },
    erasure: { inPiecesBy: 'ctid' },
  },
  credit_accounts: {
    audit: { entries: 'organization.billing_changed' },
    export: { within: 'ledger_entries' },
    erasure: 'cascade',
  },
  open_holds: {
    audit: { not: 'A hold exists only during its reply.' },
    export: { within: 'ledger_entries' },
    erasure: 'cascade',
  },
}

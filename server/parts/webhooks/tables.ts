import { type AuditedTable, MAKER, type OwnedTables, TIMES } from '#platform/tables/owned-tables.ts'

export const WEBHOOK: AuditedTable = { type: 'webhook', secrets: ['secret', 'previous_secret'] }

export const webhookTables: OwnedTables = {
  webhook_endpoints: {
    resource: { kind: 'webhook', notFound: 'webhook.not_found' },
    audit: WEBHOOK,
    export: {
      name: 'webhooks',
      columns: `${MAKER} url description event_types is_enabled disabled_reason ${TIMES}`,
    },
    erasure: 'cascade',
  },
  webhook_deliveries: {
    audit: { not: 'Deliveries are shown with their endpoint.' },
    export: {
      not: 'Deliveries are deleted after 30 days; the export contains the records that they report.',
    },
    erasure: { inPiecesBy: 'id' },
  },
}

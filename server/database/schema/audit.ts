import { index, jsonb, pgTable, text, uuid } from '../drizzle.ts'
import { createdAt, id } from './columns.ts'
import { organizations } from './org.ts'

/** The audit log: who changed which record of an organization. Append-only: a trigger rejects updates and deletes. */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    actorId: uuid('actor_id').notNull(),
    /** The API key that sent the request. Null if the request used another credential. */
    apiKeyId: uuid('api_key_id'),
    action: text('action').notNull(),
    recordType: text('record_type').notNull(),
    recordId: text('record_id').notNull(),
    /**
     * The record before and after the change. The record is complete if it was created or deleted; otherwise only the
     * changed fields are stored.
     */
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address').notNull(),
    requestId: uuid('request_id').notNull(),
    createdAt: createdAt(),
  },
  // An index for each filter. Without it, a page of rare entries reads the whole log of the organization.
  (table) => [
    index().on(table.organizationId, table.id),
    index('audit_entries_actor').on(table.organizationId, table.actorId, table.id),
    index('audit_entries_action').on(table.organizationId, table.action, table.id),
    index('audit_entries_type').on(table.organizationId, table.recordType, table.id),
    index('audit_entries_record').on(table.organizationId, table.recordId, table.id),
    index('audit_entries_time').on(table.organizationId, table.createdAt),
  ],
)

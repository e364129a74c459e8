import { index, jsonb, pgTable, text, uuid } from '../drizzle.ts'
import { createdAt, id } from './columns.ts'
import { organizations } from './org.ts'

/** Who did what to which record of an organization. Append-only (a trigger refuses update and delete). */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    actorId: uuid('actor_id').notNull(),
    /** The API key that the actor used, if one was. */
    apiKeyId: uuid('api_key_id'),
    action: text('action').notNull(),
    recordType: text('record_type').notNull(),
    recordId: text('record_id').notNull(),
    /** The record as it was, and as it became: all of it where it was made or deleted, else what changed. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    after: jsonb('after').$type<Record<string, unknown>>(),
    ipAddress: text('ip_address').notNull(),
    requestId: uuid('request_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.organizationId, table.id)],
)

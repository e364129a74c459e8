import { index, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { apiKeys } from './api-keys.ts'
import { createdAt, moment } from './columns.ts'

/** Records of the OAuth authorization server of /mcp: clients, pending requests, grants, codes and tokens. */
export const oauthRecords = pgTable(
  'oauth_records',
  {
    kind: text('kind').notNull(),
    /** The hashed id. The id itself is secret: for a code or a token, it is the value that the client presents. */
    idHash: text('id_hash').notNull(),
    /** The record as JSON, encrypted and bound to its kind and id. */
    payload: text('payload').notNull(),
    /**
     * The hashed id of the record's grant. For a registration, the hashed IP address of the client that registered.
     */
    groupHash: text('group_hash'),
    /** The API key behind a grant and its tokens. Deleting the API key deletes them. */
    apiKeyId: uuid('api_key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** When a single-use record was used. */
    consumedAt: moment('consumed_at'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.idHash] }),
    index('oauth_records_group').on(table.groupHash).where(sql`${table.groupHash} is not null`),
    index('oauth_records_key').on(table.apiKeyId).where(sql`${table.apiKeyId} is not null`),
    index('oauth_records_expiry').on(table.expiresAt),
  ],
)

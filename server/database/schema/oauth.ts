import { index, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { apiKeys } from './api-keys.ts'
import { createdAt, moment } from './columns.ts'

/** Records of the authorization server of /mcp: clients, pending requests, grants, codes and tokens. */
export const oauthRecords = pgTable(
  'oauth_records',
  {
    kind: text('kind').notNull(),
    /** Hashed, because the id of a code or token is its secret value. */
    idHash: text('id_hash').notNull(),
    /** As JSON. Encrypted, bound to kind and id. */
    payload: text('payload').notNull(),
    /** Groups records by their grant, or registrations by the address they were made from; hashed. */
    groupHash: text('group_hash'),
    /** The API key behind a grant and its tokens, which are deleted with it. */
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

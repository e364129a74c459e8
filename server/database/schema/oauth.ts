import { index, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { apiKeys } from './api-keys.ts'
import { createdAt, moment } from './columns.ts'

/** What the authorization server of /mcp keeps: its clients, requests under way, grants, codes and tokens. */
export const oauthRecords = pgTable(
  'oauth_records',
  {
    kind: text('kind').notNull(),
    /** Of a code or token that is what it is: stored hashed. */
    idHash: text('id_hash').notNull(),
    /** As JSON; encrypted, bound to kind and id. */
    payload: text('payload').notNull(),
    /** What records belong together by: their grant, or the address that a registration came from; hashed. */
    groupHash: text('group_hash'),
    /** What a grant and its tokens stand for: they end with it. */
    apiKeyId: uuid('api_key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** What can be used once was used then. */
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

import Type, { type Static } from 'typebox'
import type { apiKeys } from '#database/schema/api-keys.ts'
import { Body, NOT_BLANK, Nullable, PageOf, PERMISSION, Timestamp, Uuid } from '#platform/http/schemas.ts'

export const NewApiKey = Body({
  org_id: Type.Optional(Uuid),
  name: Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK }),
  permissions: Type.Array(Type.String({ maxLength: 100, ...PERMISSION }), {
    minItems: 1,
    maxItems: 100,
    description: 'What it may do at most; you must hold each of them',
  }),
  expires_at: Type.Optional(Timestamp),
})
export type NewApiKey = Static<typeof NewApiKey>

const key = {
  id: Uuid,
  organization_id: Uuid,
  user_id: Uuid,
  name: Type.String(),
  prefix: Type.String({ description: 'How the key begins' }),
  permissions: Type.Array(Type.String()),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  created_at: Timestamp,
}
export const ApiKeyView = Type.Object(key, { title: 'ApiKey' })
export type ApiKeyView = Static<typeof ApiKeyView>
export const ApiKeyPage = PageOf(ApiKeyView, 'ApiKeyPage')

export const CreatedApiKey = Type.Object(
  { ...key, key: Type.String({ description: 'Shown this once' }) },
  { title: 'CreatedApiKey' },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const viewApiKey = (row: typeof apiKeys.$inferSelect): ApiKeyView => ({
  id: row.id,
  organization_id: row.organizationId,
  user_id: row.memberId,
  name: row.name,
  prefix: row.prefix,
  permissions: row.permissions,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
})

import Type, { type Static } from 'typebox'
import type { apiKeys } from '#database/schema/api-keys.ts'
import {
  Body,
  CreatedAt,
  described,
  idOf,
  NAME,
  Nullable,
  ObjectId,
  OrganizationId,
  OrgId,
  PageOf,
  PERMISSION,
  Timestamp,
} from '#platform/http/schemas.ts'

export const NewApiKey = Body({
  org_id: Type.Optional(OrgId),
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    ...NAME,
    description: 'Name of the key, for people.',
  }),
  permissions: Type.Array(Type.String({ maxLength: 100, ...PERMISSION }), {
    minItems: 1,
    maxItems: 100,
    description: 'Permissions of the key. The caller must hold each of them.',
  }),
  expires_at: Type.Optional(
    described(Timestamp, 'When the key expires, in ISO 8601 (UTC). By default, never.'),
  ),
})
export type NewApiKey = Static<typeof NewApiKey>

const key = {
  id: ObjectId,
  organization_id: OrganizationId,
  user_id: idOf('the user that the key acts for'),
  name: Type.String({ description: 'Name of the key, for people.' }),
  prefix: Type.String({ description: 'First characters of the key, to recognize it.' }),
  permissions: Type.Array(Type.String(), { description: 'Permissions of the key, as `resource:action`.' }),
  expires_at: Nullable(described(Timestamp, 'When the key expires; null for never.')),
  last_used_at: Nullable(described(Timestamp, 'When the key was last used; null if never.')),
  created_at: CreatedAt,
}
export const ApiKeyView = Type.Object(key, { title: 'ApiKey' })
export type ApiKeyView = Static<typeof ApiKeyView>
export const ApiKeyPage = PageOf(ApiKeyView, 'ApiKeyPage')

export const CreatedApiKey = Type.Object(
  { ...key, key: Type.String({ description: 'The API key. Returned once.' }) },
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

import { and, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { apiKeys } from '#database/schema/api-keys.ts'
import { memberships } from '#database/schema/org.ts'
import { fail } from '#errors'
import { API_KEY_PREFIX } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import { checkHeld } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { type ApiKeyView, type CreatedApiKey, type NewApiKey, viewApiKey } from './schemas.ts'

/** Number of characters of a key that are stored and shown to distinguish keys. */
const SHOWN_CHARACTERS = 10

type Administrator = Scope<'organization:admin'>

/**
 * Creates a key that acts for the caller in this organization. A request with the key needs a permission that is both
 * in `input` and in the caller's role. Throws access.session_needed, role.permission_not_held, api_key.expiry_past.
 */
export async function createApiKey(scope: Administrator, input: NewApiKey): Promise<CreatedApiKey> {
  // An API key that creates API keys could outlive its own expiry.
  if (scope.apiKeyId !== null) throw fail('access.session_needed')
  checkHeld(scope, input.permissions)
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at)
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw fail('api_key.expiry_past')
  const key = newToken(API_KEY_PREFIX)
  const row = await insertKey(scope, {
    name: input.name.trim(),
    permissions: [...new Set(input.permissions)],
    expiresAt,
    key,
  })
  return { ...viewApiKey(row), key }
}

/** Stores an API key for the caller. Throws org.not_found if the caller is no longer a member. */
export const insertKey = (
  scope: Scope<Permission>,
  { name, permissions, expiresAt, key }: NewKey,
): Promise<typeof apiKeys.$inferSelect> =>
  scope.transaction(async (database) => {
    // Locks the membership, so that a concurrent removal of the member can't leave this key behind.
    const isMe = and(eq(memberships.memberId, scope.userId), eq(memberships.status, 'active'))
    const [membership] = await database.select(memberships, { where: isMe, lock: true })
    if (!membership) throw fail('org.not_found', { value: scope.organizationId })
    return database.insert(apiKeys, {
      id: newId(),
      memberId: scope.userId,
      name,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      keyHash: hashToken(key),
      permissions,
      expiresAt,
    })
  })

interface NewKey {
  name: string
  permissions: string[]
  expiresAt: Date | null
  key: string
}

/** Returns the API keys of all members, newest first. */
export const listApiKeys = (scope: Administrator, query: ListQuery): Promise<Page<ApiKeyView>> =>
  listRecords(scope, apiKeys, { query, view: viewApiKey, searched: [apiKeys.name, apiKeys.prefix] })

/** Deletes an API key, which revokes it immediately. Throws api_key.not_found. */
export async function deleteApiKey(scope: Administrator, keyId: string): Promise<void> {
  const [deleted] = await scope.transaction(async (database) => {
    await database.lockStorage()
    return database.delete(apiKeys, eq(apiKeys.id, keyId))
  })
  if (!deleted) throw fail('api_key.not_found', { value: keyId })
}

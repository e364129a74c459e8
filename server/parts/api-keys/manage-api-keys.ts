import { and, desc, eq, lt } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { apiKeys } from '#database/schema/api-keys.ts'
import { memberships } from '#database/schema/org.ts'
import { fail } from '#errors'
import { API_KEY_PREFIX } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import { checkHeld } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { type ApiKeyView, type CreatedApiKey, type NewApiKey, viewApiKey } from './schemas.ts'

/** So much of a key is shown, to tell it from others. */
const SHOWN_CHARACTERS = 10

type Administrator = Scope<'organization:admin'>

/**
 * Makes a key that acts for the caller in this organization, with no more than these permissions and never with more
 * than his role holds. Throws access.session_needed, role.permission_not_held, api_key.expiry_past.
 */
export async function createApiKey(scope: Administrator, input: NewApiKey): Promise<CreatedApiKey> {
  // A key that makes keys would live on after its own expiry.
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

/** Stores a key of the caller's. Throws org.not_found where he is a member no more. */
export const insertKey = (
  scope: Scope<Permission>,
  { name, permissions, expiresAt, key }: NewKey,
): Promise<typeof apiKeys.$inferSelect> =>
  scope.transaction(async (database) => {
    // Whoever removes the member meanwhile waits, and takes this key along; or has done so, and there is none.
    const isMe = and(eq(memberships.memberId, scope.userId), eq(memberships.status, 'active'))
    const [membership] = await database.select(memberships, { where: isMe, lock: true })
    if (!membership) throw fail('org.not_found')
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

/** The keys of all members, newest first. */
export const listApiKeys = (
  scope: Administrator,
  query: { limit?: number; cursor?: string },
): Promise<Page<ApiKeyView>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(apiKeys, {
        where: below === undefined ? undefined : lt(apiKeys.id, below),
        orderBy: [desc(apiKeys.id)],
        limit: count,
      }),
    viewApiKey,
  )

/** Deletes a key: it stops working at once. */
export async function deleteApiKey(scope: Administrator, keyId: string): Promise<void> {
  const [deleted] = await scope.delete(apiKeys, eq(apiKeys.id, keyId))
  if (!deleted) throw fail('api_key.not_found')
}

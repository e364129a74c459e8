import { API_KEY_PREFIX } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import { checkHeld } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { newToken } from '#platform/secrets/secrets.ts'
import { insertKey } from './manage-api-keys.ts'

/**
 * Creates the API key of a connected app. The organization's list of keys shows it, but the secret key is never
 * returned. Throws role.permission_not_held, org.not_found.
 */
export async function createClientKey(
  scope: Scope<Permission>,
  { name, permissions }: { name: string; permissions: string[] },
): Promise<{ id: string }> {
  checkHeld(scope, permissions)
  return insertKey(scope, { name, permissions, expiresAt: null, key: newToken(API_KEY_PREFIX) })
}

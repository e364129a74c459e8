import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import { newId } from '#database/new-id.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { isBuiltIn } from '#platform/access/permissions.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { NewPermission, PermissionView } from './schemas.ts'

/** Returns all permissions of the installation, newest first. */
export const listPermissions = (
  database: Database,
  query: { limit?: number; cursor?: string },
): Promise<Page<PermissionView>> => {
  const sql = systemSql(database)
  return readPage(
    query,
    (below, count) => sql<PermissionView[]>`
      select id, name, description, created_at from permissions
      where ${olderThan(sql, 'id', below)}
      order by id desc limit ${count}`,
    view,
  )
}

/** Creates a permission that can be added to roles. Throws permission.exists. */
export async function createPermission(database: Database, input: NewPermission): Promise<PermissionView> {
  const [row] = await systemSql(database)<PermissionView[]>`
    insert into permissions (id, name, description) values (${newId()}, ${input.name}, ${input.description ?? ''})
    returning id, name, description, created_at`.catch(onUniqueViolation('permission.exists'))
  return view(row as PermissionView)
}

/** Deletes a permission and removes it from all roles. Throws permission.not_found, permission.built_in. */
export async function removePermission(database: Database, permissionId: string): Promise<void> {
  await systemSql(database).begin(async (tx) => {
    const [row] = await tx<
      { name: string }[]
    >`select name from permissions where id = ${permissionId} for update`
    if (!row) throw fail('permission.not_found', { value: permissionId })
    if (isBuiltIn(row.name)) throw fail('permission.built_in')
    await tx`delete from permissions where id = ${permissionId}`
  })
}

const view = (row: PermissionView): PermissionView => ({
  ...row,
  created_at: new Date(row.created_at).toISOString(),
})

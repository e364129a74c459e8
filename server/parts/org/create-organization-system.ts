import { newId } from '#database/new-id.ts'
import type { SystemTransaction } from '#database/system-sql.ts'
import { SYSTEM_ROLES } from '#platform/access/permissions.ts'
import { openAccount } from '#platform/ledger/open-account.ts'

interface NewOrganization {
  name: string
  ownerId: string
  /** True for a personal organization. A user owns exactly one. */
  personal: boolean
}

/**
 * Creates an organization with its four system roles, its owner's membership and an empty credit account. Runs in the
 * caller's transaction. Returns the organization's id.
 */
export async function createOrganization(tx: SystemTransaction, input: NewOrganization): Promise<string> {
  const id = newId()
  const roles = SYSTEM_ROLES.map((role) => ({ ...role, id: newId() }))
  const owner = roles.find((role) => role.name === 'owner')?.id ?? ''
  await tx`
    insert into organizations (id, name, slug, personal_user_id)
    values (${id}, ${input.name}, ${slugOf(input.name, id)}, ${input.personal ? input.ownerId : null})`
  await tx`
    insert into roles (id, organization_id, name, description, hierarchy_level, is_system_role)
    select r.id, ${id}, r.name, r.description, r.level, true
    from json_to_recordset(${JSON.stringify(roles)}::text::json)
      as r (id uuid, name text, description text, level int)`
  await tx`
    insert into role_permissions (role_id, permission_id)
    select r.id, p.id
    from json_to_recordset(${JSON.stringify(roles)}::text::json) as r (id uuid, permissions json)
    cross join json_array_elements_text(r.permissions) as wanted (name)
    join permissions p on p.name = wanted.name`
  await tx`
    insert into memberships (organization_id, user_id, role_id, status)
    values (${id}, ${input.ownerId}, ${owner}, 'active')`
  await openAccount(tx, id)
  return id
}

/** Builds a URL-safe slug from the name and the end of the id, which makes the slug unique. */
function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return [...(words ?? []).slice(0, 8), id.slice(-12)].join('-')
}

import type { Database } from '#database/connect.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { isOwner } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { readOrganization } from './organizations-system.ts'
import type { OrganizationChange, OrganizationView } from './schemas.ts'

/**
 * Changes the name of an organization, how long it stores responses, and whether it requires a second factor. Only
 * the owner can change the requirement, and the owner must have a second factor to enable it. Throws org.name_taken,
 * org.owner_needed, access.session_needed, org.factor_needed.
 */
export async function changeOrganization(
  database: Database,
  scope: Scope<'organization:write'>,
  change: OrganizationChange,
): Promise<OrganizationView> {
  const { organizationId } = scope
  const { name, require_second_factor: required, response_retention_days: days } = change
  await scope.sql
    .begin(async (tx) => {
      const [before] = await tx<Required<OrganizationChange>[]>`
        select name, require_second_factor, response_retention_days
        from organizations where id = ${organizationId} for update`
      if (required !== undefined && required !== before?.require_second_factor)
        await checkRequirement(tx, scope, required)
      const [after] = await tx<Required<OrganizationChange>[]>`
        update organizations set updated_at = now(), name = coalesce(${name?.trim() ?? null}, name),
          require_second_factor = coalesce(${required ?? null}, require_second_factor),
          response_retention_days = coalesce(${days ?? null}, response_retention_days)
        where id = ${organizationId} returning name, require_second_factor, response_retention_days`
      const auditedFields = (row: Required<OrganizationChange> | undefined) =>
        Object.fromEntries(Object.entries(row ?? {}).filter(([field]) => field in change))
      await recordEvent(tx, organizationId, scope, {
        action: 'organization.updated',
        recordId: organizationId,
        before: auditedFields(before),
        after: auditedFields(after),
      })
    })
    .catch(onUniqueViolation('org.name_taken'))
  return readOrganization(database, scope.userId, organizationId)
}

async function checkRequirement(
  tx: TenantTransaction,
  scope: Scope<'organization:write'>,
  isRequired: boolean,
): Promise<void> {
  if (!isOwner(scope)) throw fail('org.owner_needed')
  if (scope.apiKeyId !== null) throw fail('access.session_needed')
  if (!isRequired) return
  const { userId } = scope
  const [own] = await tx`
    select from totp_factors where user_id = ${userId} and confirmed_at is not null
    union all select from passkeys where user_id = ${userId} limit 1`
  if (!own) throw fail('org.factor_needed')
}

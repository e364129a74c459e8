import type { Database } from '#database/connect.ts'
import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import type { Fragment } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'

/**
 * Closes an organization. Once the transaction commits, users have no access to the organization, and its name is
 * free. Its rows are erased afterwards (erase-organization-system.ts). Throws access.session_needed, org.personal.
 */
export async function closeForOwner(
  database: Database,
  jobs: Jobs,
  scope: Scope<'organization:delete'>,
): Promise<void> {
  if (scope.apiKeyId !== null) throw fail('access.session_needed')
  await systemSql(database).begin(async (tx) => {
    await lockAccounts(tx, tx`${scope.organizationId}`)
    const { isPersonal } = await lockOrganization(tx, scope.organizationId, 'deletion')
    if (isPersonal) throw fail('org.personal')
    await closeOrganization(tx, jobs, scope.organizationId)
  })
}

/**
 * Locks the credit accounts of organizations. Must run before the organizations are locked: statements for holds lock
 * the account, budgets, webhooks, and then the organization (ledger/hold-statements.ts).
 */
export const lockAccounts = (tx: SystemTransaction, ids: Fragment) =>
  tx`select from credit_accounts where organization_id in (${ids}) order by organization_id for update`

/**
 * Closes an organization. The transaction must have locked the organization's account, and then the organization (for
 * update).
 */
export async function closeOrganization(tx: SystemTransaction, jobs: Jobs, id: string): Promise<void> {
  await tx`
    update memberships set status = 'deleted', role_id = null, updated_at = now() where organization_id = ${id}`
  await tx`delete from api_keys where organization_id = ${id}`
  await tx`delete from invitations where organization_id = ${id}`
  await tx`update agents set is_public = false where organization_id = ${id} and is_public`
  await tx`update tools set is_public = false where organization_id = ${id} and is_public`
  await tx`update webhook_endpoints set is_enabled = false where organization_id = ${id}`
  await jobs.forget(tx, [id])
  await tx`update organizations set closed_at = now(), name = id::text, slug = id::text where id = ${id}`
}

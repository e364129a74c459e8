import type { Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { Ledger } from '#platform/ledger/ledger.ts'
import type { Balance, Settings } from './schemas.ts'

export async function readBalance(
  ledger: Ledger,
  { organizationId }: Scope<'organization:read'> | Scope<'organization:admin'>,
): Promise<Balance> {
  const { lowBelow, ...balance } = await ledger.balance(organizationId)
  return { ...balance, credits_low_threshold: lowBelow }
}

/** Sets the balance below which the organization is notified that its credits are low. */
export async function changeSettings(
  scope: Scope<'organization:admin'>,
  { credits_low_threshold: threshold }: Settings,
): Promise<void> {
  const { organizationId } = scope
  await scope.sql.begin(async (tx) => {
    const [account] = await tx<{ lowBelow: number }[]>`
      select low_below::float8 as "lowBelow" from credit_accounts
      where organization_id = ${organizationId} for no key update`
    if (!account || account.lowBelow === threshold) return
    await tx`
      update credit_accounts set low_below = ${threshold} where organization_id = ${organizationId}`
    await recordEvent(tx, organizationId, scope, {
      action: 'organization.billing_changed',
      recordId: organizationId,
      before: { credits_low_threshold: account.lowBelow },
      after: { credits_low_threshold: threshold },
    })
  })
}

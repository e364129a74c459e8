import { and, desc, eq, lt } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { budgets } from '#database/schema/ledger.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { eventOf, recordEvent } from '#platform/audit/audit.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { isOrNull, keepSubject } from './keep-subject.ts'
import { type BudgetView, type NewBudget, viewBudget } from './schemas.ts'
import { BUDGET } from './tables.ts'

/** Returns the budgets of an organization or of one of its members, newest first. */
export const listBudgets = (
  scope: Scope<'organization:read'>,
  query: { user_id?: string; limit?: number; cursor?: string },
): Promise<Page<BudgetView>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(budgets, {
        where: and(
          below === undefined ? undefined : lt(budgets.id, below),
          query.user_id === undefined ? undefined : eq(budgets.memberId, query.user_id),
        ),
        orderBy: [desc(budgets.id)],
        limit: count,
      }),
    viewBudget,
  )

/** Returns the budget of a member or an API key, or an empty object if it has none. */
export async function readBudget(
  scope: Scope<'organization:admin'>,
  { user_id: userId, api_key_id: apiKeyId }: NewBudget,
): Promise<BudgetView | object> {
  const [row] = await scope.select(budgets, {
    where: and(isOrNull(budgets.memberId, userId), isOrNull(budgets.apiKeyId, apiKeyId)),
  })
  return row ? viewBudget(row) : {}
}

/**
 * Sets the monthly budget (UTC) of a member or an API key. A new budget includes the usage of the current month and
 * the open holds. Throws request.invalid, user.not_found, api_key.not_found.
 */
export async function setBudget(
  scope: Scope<'organization:admin'>,
  { credits_per_month: credits, ...subject }: NewBudget,
): Promise<BudgetView> {
  const userId = subject.user_id ?? null
  const apiKeyId = subject.api_key_id ?? null
  if ((userId === null) === (apiKeyId === null))
    throw fail('request.invalid', { reason: sentence('budget.one_owner') })
  const { organizationId } = scope
  const id = await scope.sql.begin(async (tx) => {
    await keepSubject(tx, organizationId, { userId, apiKeyId, modelId: null })
    // Locks the account. While it is locked, no hold is opened or settled, so the insert below counts all of them. A
    // statement that waits for this lock then finds a new version, and restarts to read the budget
    // (ledger/hold-statements.ts).
    await tx`
      update credit_accounts set budgets_version = budgets_version + 1 where organization_id = ${organizationId}`
    const isItsOwn = tx`
      organization_id = ${organizationId}
      and ${userId === null ? tx`api_key_id = ${apiKeyId}` : tx`user_id = ${userId}`}`
    const read = () => tx<Record<string, unknown>[]>`
      select id, user_id, api_key_id, credits_per_month::float8 from budgets
      where ${isItsOwn} and ${userId === null ? tx`user_id is null` : tx`api_key_id is null`}`
    const [before = null] = await read()
    await tx`
      insert into budgets (id, organization_id, user_id, api_key_id, credits_per_month, month, spent, held, held_beyond)
      select ${newId()}, ${organizationId}, ${userId}, ${apiKeyId}, ${credits}, month,
        (select coalesce(sum(credits), 0) from usage_days where ${isItsOwn} and day >= month),
        (select count(*) from open_holds where ${isItsOwn}),
        (select coalesce(sum(expected - 1), 0) from open_holds where ${isItsOwn})
      from (select date_trunc('month', now() at time zone 'utc')::date as month) as this
      on conflict (organization_id, user_id, api_key_id)
        do update set credits_per_month = excluded.credits_per_month, updated_at = now()`
    const [after = null] = await read()
    const event = eventOf(BUDGET, before, after)
    if (event) await recordEvent(tx, organizationId, scope, event)
    return after?.['id'] as string
  })
  const [row] = await scope.select(budgets, { where: eq(budgets.id, id) })
  // The row is missing if the member or key was deleted after the transaction, because that deletes its budget, too.
  if (!row)
    throw userId === null
      ? fail('api_key.not_found', { value: apiKeyId ?? '' })
      : fail('user.not_found', { value: userId })
  return viewBudget(row)
}

/** Deletes a budget. Throws billing.budget_not_found. */
export async function deleteBudget(scope: Scope<'organization:admin'>, id: string): Promise<void> {
  const deleted = await scope.delete(budgets, eq(budgets.id, id))
  if (deleted.length === 0) throw fail('billing.budget_not_found', { value: id })
}

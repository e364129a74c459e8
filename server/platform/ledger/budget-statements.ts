import type { PendingQuery, Row, Sql } from 'postgres'

type Fragment = PendingQuery<Row[]>

/*
 * The parts of hold-statements.ts that handle budgets.
 *
 * A budget is updated only while the organization's account is locked. Each statement must see all budgets of the
 * organization. Setting a budget therefore locks the account and increments `budgets_version`
 * (parts/billing/budgets.ts). If a statement waited for the lock, a changed version shows that the statement's
 * snapshot is stale.
 */

/** First day of the current month (UTC). */
const thisMonth = (sql: Sql): Fragment => sql`date_trunc('month', now() at time zone 'utc')::date`

/**
 * SQL that joins the rows of a CTE to the budgets that apply to them: the member's budget and the API key's budget.
 */
const budgetsOf = (sql: Sql, rows: Fragment): Fragment => sql`
  select r.*, b.id as budget_id from ${rows} as r
  join budgets b on b.organization_id = r.organization_id and b.user_id = r.user_id
  union all
  select r.*, b.id from ${rows} as r
  join budgets b on b.organization_id = r.organization_id and b.user_id is null and b.api_key_id = r.api_key_id`

/**
 * Extends a WITH list that contains `ready`, `within_limits` and `account`. Adds `queued`, which contains the rows of
 * `within_limits` with three more columns:
 *
 * - `key_pays` and `member_pays`: whether the respective budget has a credit left for the row.
 * - `turn`: the row's number in its organization, among the rows that its limits admit and both budgets can pay for.
 *
 * For the member's budget, only rows that passed the key's budget are counted. This is exact for two reasons. A key
 * belongs to one member, and a budget that refuses one row refuses all later rows of the group.
 */
export const queueByBudgets = (sql: Sql): Fragment => sql`
  budget as (
    select id, organization_id, user_id, api_key_id,
      credits_per_month - held - case when month < ${thisMonth(sql)} then 0 else spent end as available
    from budgets
    where id = any (array(
      select budget_id from (${budgetsOf(sql, sql`ready`)}) as wanted join account using (organization_id)))
    order by id for update),
  by_key as (
    select within_limits.*, budget.id as key_budget_id,
      (count(*) filter (where limit_refusal is null) over (partition by budget.id order by ordinal) <= budget.available)
        is not false as key_pays
    from within_limits left join budget
      on budget.organization_id = within_limits.organization_id and budget.api_key_id = within_limits.api_key_id),
  by_member as (
    select by_key.*, budget.id as member_budget_id,
      (count(*) filter (where limit_refusal is null and key_pays) over (partition by budget.id order by ordinal) <= budget.available)
        is not false as member_pays
    from by_key left join budget
      on budget.organization_id = by_key.organization_id and budget.user_id = by_key.user_id),
  queued as (
    select *, count(*) filter (where limit_refusal is null and key_pays and member_pays)
      over (partition by organization_id order by ordinal) as turn
    from by_member)`

/** Extends a WITH list that contains `admitted`. Reserves one credit per row in each of the row's budgets. */
export const holdOfBudgets = (sql: Sql): Fragment => sql`
  budget_held as (
    update budgets set held = held + opened.holds
    from (
      select budget_id, count(*)::int as holds
      from admitted cross join lateral (values (key_budget_id), (member_budget_id)) as counted (budget_id)
      where budget_id is not null group by 1) as opened
    where budgets.id = opened.budget_id)`

/**
 * Extends a WITH list that contains `line`, the closed holds. The accounts must be locked. Releases the credits that
 * the budgets reserved for these holds, and charges the cost of the holds to the current month. Resets a budget that
 * is still in an earlier month. Charges nothing to a budget that is already in a later month.
 */
export const chargeBudgets = (sql: Sql): Fragment => sql`
  budget_charged as (
    update budgets set held = held - charged.holds, month = greatest(month, ${thisMonth(sql)}),
      spent = case when month > ${thisMonth(sql)} then spent
        when month = ${thisMonth(sql)} then spent + charged.credits else charged.credits end
    from (
      select budget_id, count(*)::int as holds, -sum(amount) as credits
      from (${budgetsOf(sql, sql`line`)}) as counted
      group by 1) as charged
    where budgets.id = charged.budget_id)`

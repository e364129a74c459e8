import type { PendingQuery, Row, Sql } from 'postgres'

type Fragment = PendingQuery<Row[]>

/*
 * The parts of hold-statements.ts that handle budgets. A budget is updated under the account's lock. Each statement has
 * to see all budgets of its organization, so setting a budget locks the account and raises its `budgets_version`
 * (parts/billing/budgets.ts). A statement that waited for the lock detects by that version that its snapshot is stale.
 */

/** First day of the current month (UTC). */
const thisMonth = (sql: Sql): Fragment => sql`date_trunc('month', now() at time zone 'utc')::date`

/** Returns the budgets that apply to the rows of a CTE: one of the member, one of the API key. */
const budgetsOf = (sql: Sql, rows: Fragment): Fragment => sql`
  select r.*, b.id as budget_id from ${rows} as r
  join budgets b on b.organization_id = r.organization_id and b.user_id = r.user_id
  union all
  select r.*, b.id from ${rows} as r
  join budgets b on b.organization_id = r.organization_id and b.user_id is null and b.api_key_id = r.api_key_id`

/**
 * Extends a WITH list that has `ready` and `account`. Adds `queued`: the rows of `ready` with three more columns.
 * `key_pays` and `member_pays` tell whether each budget has a credit left. `turn` is the row's number in its
 * organization among the rows that both budgets pay for. Counting only rows that passed the previous budget is exact
 * for two reasons. A key belongs to one member, and a budget that refuses one row refuses all later rows of the group.
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
    select ready.*, budget.id as key_budget_id,
      (row_number() over (partition by budget.id order by ordinal) <= budget.available) is not false as key_pays
    from ready left join budget
      on budget.organization_id = ready.organization_id and budget.api_key_id = ready.api_key_id),
  by_member as (
    select by_key.*, budget.id as member_budget_id,
      (count(*) filter (where key_pays) over (partition by budget.id order by ordinal) <= budget.available)
        is not false as member_pays
    from by_key left join budget
      on budget.organization_id = by_key.organization_id and budget.user_id = by_key.user_id),
  queued as (
    select *, count(*) filter (where key_pays and member_pays) over (partition by organization_id order by ordinal) as turn
    from by_member)`

/** Extends a WITH list that has `admitted`. Reserves a credit in the budgets of each row. */
export const holdOfBudgets = (sql: Sql): Fragment => sql`
  budget_held as (
    update budgets set held = held + opened.holds
    from (
      select budget_id, count(*)::int as holds
      from admitted cross join lateral (values (key_budget_id), (member_budget_id)) as counted (budget_id)
      where budget_id is not null group by 1) as opened
    where budgets.id = opened.budget_id)`

/**
 * Extends a WITH list that has `line`, the closed holds, under the account's lock. Releases what the budgets hold for
 * them and charges their cost to the current month. Resets a budget of an earlier month, and skips one that has already
 * moved to a later month.
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

import type { PendingQuery, Row, Sql } from 'postgres'

type Fragment = PendingQuery<Row[]>

/*
 * The parts of hold-statements.ts that handle budgets.
 *
 * A budget is updated only while the organization's account is locked. Each statement must see all budgets of the
 * organization. Setting a budget therefore locks the account and increments `budgets_version`
 * (parts/billing/budgets.ts). If a statement waited for the lock, a changed version shows that the statement's
 * snapshot is stale.
 *
 * A hold reserves what its call is expected to cost in each of its budgets. Calls at the same time pass a budget by at most
 * one call if they cost no more than expected. Without a maximum of tokens, they may cost more.
 */

/** Days whose usage tells what a call is expected to cost. */
const RECENT_DAYS = 7
/** Maximum rows of usage that are read of each of these days. */
const ROWS_PER_DAY = 100
/** Expected output of a call without a maximum, to a model without recent usage. */
const OUTPUT_TOKENS_EXPECTED = 500
/** More than any call costs. Clients may ask for any number of tokens. */
const CREDITS_EXPECTED_MAX = 1e12

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
 * SQL for rows of `usage_days` of one day, in the order of the index. A few rows tell enough, and the account is locked
 * while they are read.
 */
const someUsage = (sql: Sql, isAsked: Fragment): Fragment => sql`
  (select messages, output_tokens, credits from usage_days u
  where u.organization_id = asked.organization_id and u.day = (now() at time zone 'utc')::date - days_ago
    and ${isAsked}
  order by u.user_id limit ${ROWS_PER_DAY}::int)`

/**
 * Adds `recent`: the mean output and credits of recent calls by model and agent, for rows with a budget whose expectation
 * depends on them (expectCosts). The usage of a route is that of its members, and that of a hidden model has no model. The
 * cases are apart, because no index finds what "is not distinct".
 */
const findRecent = (sql: Sql): Fragment => sql`
  recent as (
    select asked.organization_id, asked.model_id, asked.agent_id,
      sum(output_tokens) / nullif(sum(messages), 0) as output, sum(credits) / nullif(sum(messages), 0) as credits
    from (
      select distinct on (organization_id, model_id, agent_id)
        organization_id, model_id, agent_id, coalesce(member_ids, array[model_id]) as answering_ids
      from within_limits where (output_max is null or agent_id is not null) and exists (
        select from budget where budget.organization_id = within_limits.organization_id
          and (budget.user_id = within_limits.user_id or budget.api_key_id = within_limits.api_key_id))) as asked
    cross join unnest(answering_ids) as answering (id)
    cross join generate_series(0, ${RECENT_DAYS - 1}::int) as days_ago
    cross join lateral (
      ${someUsage(sql, sql`u.model_id = answering.id and u.agent_id is null and asked.agent_id is null`)}
      union all
      ${someUsage(sql, sql`u.model_id = answering.id and u.agent_id = asked.agent_id`)}
      union all
      ${someUsage(sql, sql`u.model_id is null and answering.id is null and u.agent_id = asked.agent_id`)}) as usage
    group by 1, 2, 3)`

/**
 * Adds `expected` to the rows of `within_limits`: the credits that the call is expected to cost, at least one. Its input
 * is known. Its output is at most `output_max`, or else like that of recent calls of the same model and agent. A call of
 * an agent, which may call its model several times, costs at least the mean of recent calls.
 */
const expectCosts = (sql: Sql): Fragment => sql`
  ${findRecent(sql)},
  expecting as (
    select asking.*, round(least(${CREDITS_EXPECTED_MAX}::numeric, greatest(1,
      case when asking.agent_id is not null then recent.credits end,
      input_expected * input_ratio
        + coalesce(output_max, recent.output, ${OUTPUT_TOKENS_EXPECTED}) * output_ratio)), 6) as expected
    from within_limits as asking left join recent on recent.organization_id = asking.organization_id
      and recent.model_id is not distinct from asking.model_id
      and recent.agent_id is not distinct from asking.agent_id)`

/**
 * SQL for whether a budget pays for a row: a credit is left beside what earlier rows of the group are expected to cost.
 * `counts` is the condition of the rows that the budget is asked to pay.
 */
const pays = (sql: Sql, counts: Fragment): Fragment => sql`
  (coalesce(sum(expected) filter (where ${counts})
    over (partition by budget.id order by ordinal rows between unbounded preceding and 1 preceding), 0)
    + 1 <= budget.available) is not false`

/**
 * Extends a WITH list that contains `ready`, `within_limits` and `account`. Adds `queued`, which contains the rows of
 * `within_limits` with `expected` (expectCosts) and three more columns:
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
      credits_per_month - held - held_beyond - case when month < ${thisMonth(sql)} then 0 else spent end as available
    from budgets
    where id = any (array(
      select budget_id from (${budgetsOf(sql, sql`ready`)}) as wanted join account using (organization_id)))
    order by id for update),
  ${expectCosts(sql)},
  by_key as (
    select expecting.*, budget.id as key_budget_id, ${pays(sql, sql`limit_refusal is null`)} as key_pays
    from expecting left join budget
      on budget.organization_id = expecting.organization_id and budget.api_key_id = expecting.api_key_id),
  by_member as (
    select by_key.*, budget.id as member_budget_id,
      ${pays(sql, sql`limit_refusal is null and key_pays`)} as member_pays
    from by_key left join budget
      on budget.organization_id = by_key.organization_id and budget.user_id = by_key.user_id),
  queued as (
    select *, count(*) filter (where limit_refusal is null and key_pays and member_pays)
      over (partition by organization_id order by ordinal) as turn
    from by_member)`

/** Extends a WITH list that contains `admitted`. Reserves the expected cost of each row in each of the row's budgets. */
export const holdOfBudgets = (sql: Sql): Fragment => sql`
  budget_held as (
    update budgets set held = held + opened.holds, held_beyond = held_beyond + opened.beyond
    from (
      select budget_id, count(*)::int as holds, sum(expected - 1) as beyond
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
    update budgets set held = held - charged.holds, held_beyond = held_beyond - charged.beyond,
      month = greatest(month, ${thisMonth(sql)}),
      spent = case when month > ${thisMonth(sql)} then spent
        when month = ${thisMonth(sql)} then spent + charged.credits else charged.credits end
    from (
      select budget_id, count(*)::int as holds, sum(expected - 1) as beyond, -sum(amount) as credits
      from (${budgetsOf(sql, sql`line`)}) as counted
      group by 1) as charged
    where budgets.id = charged.budget_id)`

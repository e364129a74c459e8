import type { PendingQuery, Row, Sql } from 'postgres'

type Fragment = PendingQuery<Row[]>

/*
 * The parts of hold-statements.ts that handle limits per minute. Like budgets, limits are updated only while the
 * organization's account is locked, and setting a limit increments the account's `budgets_version`.
 */

/** A limit that refuses a hold: the subject, and what it has too many of. Sorted in the order of precedence. */
export const LIMIT_REFUSALS = [
  'key requests',
  'key tokens',
  'member requests',
  'member tokens',
  'model requests',
  'model tokens',
] as const
export type LimitRefusal = (typeof LIMIT_REFUSALS)[number]

/** The current minute (UTC). */
const thisMinute = (sql: Sql): Fragment => sql`date_trunc('minute', now())`

/** SQL that joins the rows of a CTE, which contain `hold_model_id`, to the limits that apply to them. */
const limitsOf = (sql: Sql, rows: Fragment): Fragment => sql`
  select r.*, l.id as limit_id from ${rows} as r
  join minute_limits l on l.organization_id = r.organization_id
    and (l.api_key_id = r.api_key_id or l.user_id = r.user_id or l.model_id = r.hold_model_id)`

/** The counts of the current minute. A count starts at 0 in each minute. */
const requestsSoFar = (sql: Sql): Fragment =>
  sql`case when minute_limits.minute < ${thisMinute(sql)} then 0 else minute_limits.requests end`
const tokensSoFar = (sql: Sql): Fragment =>
  sql`case when minute_limits.minute < ${thisMinute(sql)} then 0 else minute_limits.tokens end`

/** Calls that generate titles are no requests, because users don't ask for them. */
const requests = (sql: Sql, rows: Fragment, title: string): Fragment => sql`
  (select *, model_id as hold_model_id from ${rows} as r where reason is distinct from ${title})`

/**
 * Extends a WITH list that contains `ready` and `account`. Adds `within_limits`, which contains the rows of `ready`
 * with `limit_refusal`: a LimitRefusal or null. A group of concurrent holds counts towards a limit in the order of
 * `ordinal`, including holds that another limit refuses.
 */
export const checkLimits = (sql: Sql, title: string): Fragment => sql`
  subject as (${limitsOf(sql, requests(sql, sql`ready`, title))}),
  minute_limit as (
    select id, case when api_key_id is not null then 'key' when user_id is not null then 'member' else 'model' end as kind,
      requests_per_minute - ${requestsSoFar(sql)} as requests_left,
      tokens_per_minute - ${tokensSoFar(sql)} as tokens_left
    from minute_limits
    where id = any (array(select limit_id from subject join account using (organization_id)))
    order by id for update),
  exceeded as (
    select hold_id, min(kind || case when place > requests_left then ' requests' else ' tokens' end) as limit_refusal
    from (select hold_id, limit_id, row_number() over (partition by limit_id order by ordinal) as place from subject) as queue
    join minute_limit on minute_limit.id = limit_id
    where place > requests_left or tokens_left <= 0
    group by hold_id),
  within_limits as (select ready.*, limit_refusal from ready left join exceeded using (hold_id))`

/** Extends a WITH list that contains `admitted`. Counts each row as a request of its limits. */
export const countRequests = (sql: Sql, title: string): Fragment => sql`
  limit_requests as (
    update minute_limits set minute = greatest(minute_limits.minute, ${thisMinute(sql)}),
      requests = ${requestsSoFar(sql)} + taken.requests, tokens = ${tokensSoFar(sql)}
    from (
      select limit_id, count(*)::int as requests from (${limitsOf(sql, requests(sql, sql`admitted`, title))}) as counted
      group by 1) as taken (limit_id, requests)
    where minute_limits.id = taken.limit_id)`

/** Extends a WITH list that contains `line`, the closed holds. Counts the tokens of each hold in the current minute. */
export const countTokens = (sql: Sql): Fragment => sql`
  limit_tokens as (
    update minute_limits set minute = greatest(minute_limits.minute, ${thisMinute(sql)}),
      requests = ${requestsSoFar(sql)}, tokens = ${tokensSoFar(sql)} + used.tokens
    from (
      select limit_id, sum(input_tokens + output_tokens) as tokens from (${limitsOf(sql, sql`line`)}) as counted
      where input_tokens is not null group by 1) as used (limit_id, tokens)
    where minute_limits.id = used.limit_id)`

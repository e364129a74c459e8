import type { PendingQuery, Row, Sql } from 'postgres'
import { announceDebits } from './announce-debits.ts'
import { chargeBudgets, holdOfBudgets, queueByBudgets } from './budget-statements.ts'
import { checkLimits, countRequests, countTokens, type LimitRefusal } from './minute-limit-statements.ts'
import { STALE } from './retry-stale.ts'

type Fragment = PendingQuery<Row[]>

/**
 * The reason why a hold was refused: the first exhausted limit, in this order. Holds of one group are evaluated in
 * sequence, so earlier holds of the group can cause the refusal.
 */
export type HoldRefusal = LimitRefusal | 'key budget' | 'member budget' | 'no credits' | 'daily limit'

/** Ledger reason for generating a chat's title. The model call counts as usage but not as a message. */
export const TITLE = 'title'

interface HoldKind {
  areMessages: boolean
  /** False to skip budgets and limits per minute. The holds of an organization that has any are then STALE. */
  areLimited: boolean
}

/**
 * Extends a WITH list that contains `account`, which must be locked. Adds `stale`: the organizations whose budgets
 * changed after this statement's snapshot was taken, while the statement waited for their accounts.
 *
 * For a locked row, PostgreSQL returns the current version. For other rows, it returns the snapshot's version. The
 * two values of `budgets_version` therefore differ for these organizations. The statement cannot see the new budgets.
 * It skips these organizations, and its caller runs it again (retry-stale.ts).
 */
const findStale = (sql: Sql): Fragment => sql`
  stale as (
    select organization_id from account join credit_accounts as seen using (organization_id)
    where account.budgets_version <> seen.budgets_version)`

/**
 * The parts of `openHolds` for organizations without budgets and limits per minute. The first one that is set increments
 * `budgets_version`.
 */
const queueUnlimited = (sql: Sql): Fragment => sql`
  stale as (select organization_id from account where budgets_version > 0),
  queued as (
    select *, 1::numeric as expected, null::text as limit_refusal, null::uuid as key_budget_id, null::uuid as member_budget_id,
      true as key_pays, true as member_pays, count(*) over (partition by organization_id order by ordinal) as turn
    from ready)`

const queueLimited = (sql: Sql): Fragment => sql`
  ${findStale(sql)},
  ${checkLimits(sql, TITLE)},
  ${queueByBudgets(sql)}`

const today = (sql: Sql): Fragment => sql`(now() at time zone 'utc')::date`

/*
 * Statements that open and close holds are parts of larger statements. A hold is opened or closed in the same
 * statement as its work, so a crash cannot separate them.
 *
 * Statements lock accounts in the order of their ids, then limits per minute, then budgets. Callers that lock rows of
 * their own do so before, also in the order of ids.
 *
 * Rows to lock are selected with an array, which is computed once. After waiting for a lock, PostgreSQL rechecks the
 * row's condition, and a join or subquery might no longer find the row.
 */

/**
 * Opens holds. Extends a WITH list that contains `ready` (ordinal, hold_id, organization_id, model_id, user_id,
 * api_key_id, agent_id, deployment_id, chat_id, message_id, reason, input_ratio, output_ratio), with one row per
 * requested hold. With `areLimited`, it also contains input_expected, output_max and member_ids. Adds:
 *
 * - `weighed`: the rows of `ready` with `refusal`, which is a HoldRefusal, STALE or null.
 * - `admitted`: the rows without a refusal. Their holds are now open.
 *
 * A hold counts as a request of each applicable limit per minute, and reserves one credit of the organization and its
 * expected cost of each applicable budget, in the order of `ordinal`. With `areMessages`, a hold also counts as one of the
 * organization's daily messages (UTC).
 *
 * Counters are columns of the account, because a locked row is always current. Counting rows would use the
 * statement's snapshot, which is older than the lock. If the statement began before midnight and waited for the lock,
 * the account may already be on a later day.
 */
export const openHolds = (
  sql: Sql,
  instanceId: string,
  { areMessages, areLimited }: HoldKind,
): Fragment => sql`
  account as (
    select organization_id, budgets_version, balance, balance - held as available, greatest(messages_day, ${today(sql)}) as day,
      case when messages_day >= ${today(sql)} then messages_taken else 0 end as taken
    from credit_accounts
    where organization_id = any (array(select organization_id from ready))
    order by organization_id for update),
  day_limit as (${
    areMessages
      ? sql`
    select organization_id, (features ->> 'daily_chat_limit')::numeric - taken as messages_left
    from account join organizations on id = organization_id`
      : sql`
    select organization_id, null::numeric as messages_left from account`
  }),
  ${areLimited ? queueLimited(sql) : queueUnlimited(sql)},
  weighed as (
    select queued.*, balance, day, case
      when stale.organization_id is not null then ${STALE}
      when limit_refusal is not null then limit_refusal
      when not key_pays then 'key budget'
      when not member_pays then 'member budget'
      when (turn <= available) is not true then 'no credits'
      when turn > messages_left then 'daily limit' end as refusal
    from queued left join account using (organization_id) left join day_limit using (organization_id)
      left join stale using (organization_id)),
  admitted as (select * from weighed where refusal is null),
  held as (
    update credit_accounts as a set held = held + opened.holds ${
      areMessages
        ? sql`,
      messages_taken = opened.holds + case when a.messages_day = opened.day then a.messages_taken else 0 end,
      messages_day = opened.day`
        : sql``
    }
    from (select organization_id, day, count(*)::int as holds from admitted group by 1, 2) as opened
    where a.organization_id = opened.organization_id),
  ${
    areLimited
      ? sql`
  ${holdOfBudgets(sql)},
  ${countRequests(sql, TITLE)},`
      : sql``
  }
  hold_entry as (
    insert into ledger_entries
      (id, organization_id, kind, quantity, amount, balance_after, model_id, user_id, api_key_id, agent_id,
        deployment_id, chat_id, message_id, reason)
    select hold_id, organization_id, 'HOLD', 1, 0, balance, model_id, user_id, api_key_id, agent_id, deployment_id,
      chat_id, message_id, reason
    from admitted order by ordinal),
  hold_open as (
    insert into open_holds
      (id, organization_id, instance_id, model_id, user_id, api_key_id, agent_id, deployment_id, chat_id,
        message_id, input_ratio, output_ratio, expected)
    select hold_id, organization_id, ${instanceId}, model_id, user_id, api_key_id, agent_id, deployment_id, chat_id,
      message_id, input_ratio, output_ratio, expected
    from admitted)`

/**
 * Closes holds. Extends a WITH list that contains `closing` (ordinal, hold_id, entry_id, input_tokens, output_tokens,
 * reason, answered_model_id, answered_input_ratio, answered_output_ratio), with one row per hold. A hold is closed with
 * a DEBIT of its weighted usage. If input_tokens is null, it is closed with a RELEASE. The model that answered replaces
 * the model of the hold, unless that one is hidden. Adds:
 *
 * - `closed` (hold_id, model_id, amount): the holds that this statement closed. Omits holds that were already closed.
 * - `missed` (ordinal): the holds of stale organizations, which stay open.
 * - `announced`: the events to queue, including those of the SELECT `also`. The statement must have a column
 * queueAnnounced (events/outbox.ts).
 *
 * Charges daily usage, limits per minute and budgets while the accounts are locked.
 */
export const closeHolds = (sql: Sql, also: Fragment | null = null): Fragment => sql`
  account as (
    select organization_id, budgets_version, balance, held, low_below from credit_accounts
    where organization_id = any (array(
      select organization_id from open_holds where id in (select hold_id from closing)))
    order by organization_id for update),
  ${findStale(sql)},
  missed as (
    select closing.ordinal from closing join open_holds on open_holds.id = closing.hold_id
    where organization_id in (select organization_id from stale)),
  removed as (
    delete from open_holds using closing, account
    where open_holds.id = closing.hold_id and open_holds.organization_id = account.organization_id
      and account.organization_id not in (select organization_id from stale)
    returning open_holds.*, closing.ordinal, closing.entry_id, closing.input_tokens, closing.output_tokens,
      closing.reason, closing.answered_model_id, closing.answered_input_ratio, closing.answered_output_ratio),
  closed as (
    select id as hold_id, organization_id, user_id, api_key_id, agent_id, deployment_id, chat_id, message_id, ordinal,
      entry_id, input_tokens, output_tokens, reason, expected, model_id as hold_model_id,
      case when model_id is not null then coalesce(answered_model_id, model_id) end as model_id,
      -round(coalesce(input_tokens * coalesce(answered_input_ratio, input_ratio)
        + output_tokens * coalesce(answered_output_ratio, output_ratio), 0), 6) as amount
    from removed),
  line as (
    select closed.*, account.balance + sum(amount) over (partition by organization_id order by ordinal) as balance_after
    from closed join account using (organization_id)),
  settled as (
    update credit_accounts set balance = balance + sums.amount, held = held - sums.holds
    from (select organization_id, sum(amount) as amount, count(*)::int as holds from closed group by 1) as sums
    where credit_accounts.organization_id = sums.organization_id),
  ${chargeBudgets(sql)},
  ${countTokens(sql)},
  closing_entry as (
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, hold_id,
      model_id, user_id, api_key_id, agent_id, deployment_id, chat_id, message_id, usage, reason)
    select entry_id, organization_id, case when input_tokens is null then 'RELEASE' else 'DEBIT' end,
      case when input_tokens is null then 1 else -amount end, amount, balance_after,
      hold_id, model_id, user_id, api_key_id, agent_id, deployment_id, chat_id, message_id,
      case when input_tokens is not null
        then jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) end,
      reason
    from line order by ordinal),
  used as (
    insert into usage_days as u (organization_id, day, model_id, user_id, api_key_id, agent_id, deployment_id,
      messages, input_tokens, output_tokens, credits)
    select organization_id, ${today(sql)}, model_id, user_id, api_key_id, agent_id, deployment_id,
      count(*) filter (where reason is distinct from ${TITLE}), sum(input_tokens), sum(output_tokens), -sum(amount)
    from line where input_tokens is not null
    group by organization_id, model_id, user_id, api_key_id, agent_id, deployment_id
    on conflict (organization_id, day, model_id, user_id, api_key_id, agent_id, deployment_id) do update set
      messages = u.messages + excluded.messages, input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, credits = u.credits + excluded.credits),
  ${announceDebits(sql, also)}`

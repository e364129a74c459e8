import type { PendingQuery, Row, Sql } from 'postgres'

type Fragment = PendingQuery<Row[]>

/*
 * Opening and closing holds, as parts of a larger statement: a hold and the work that it is for become one statement,
 * so that neither can exist without the other, whatever dies in between (contract, 6). Both lock the accounts in the
 * order of their ids; a caller that locks rows of its own does so before, and in the order of their ids too.
 */

/**
 * Continues a WITH list that has `ready` (place, hold_id, organization_id, model_id, user_id, agent_id, deployment_id,
 * chat_id, message_id, input_ratio, output_ratio), a row for each hold that is wanted. Adds `admitted`: those rows of `ready` that there was a credit
 * for, whose holds are open now. Each takes one credit, in the order of `place`.
 *
 * The number of open holds stands in the account because a count of them would be taken from the statement's
 * snapshot, which is older than the lock; a locked row is always read as it is now.
 */
export const openHolds = (sql: Sql, instanceId: string): Fragment => sql`
  account as (
    select organization_id, balance, balance - held as available from credit_accounts
    where organization_id in (select organization_id from ready)
    order by organization_id for update),
  admitted as (
    select queued.*, account.balance
    from (select *, row_number() over (partition by organization_id order by place) as turn from ready) as queued
    join account using (organization_id)
    where turn <= available),
  held as (
    update credit_accounts set held = held + taken.holds
    from (select organization_id, count(*)::int as holds from admitted group by 1) as taken
    where credit_accounts.organization_id = taken.organization_id),
  hold_entry as (
    insert into ledger_entries
      (id, organization_id, kind, quantity, amount, balance_after, model_id, user_id, agent_id, deployment_id,
        chat_id, message_id)
    select hold_id, organization_id, 'HOLD', 1, 0, balance, model_id, user_id, agent_id, deployment_id,
      chat_id, message_id
    from admitted order by place),
  hold_open as (
    insert into open_holds
      (id, organization_id, instance_id, model_id, user_id, agent_id, deployment_id, chat_id, message_id,
        input_ratio, output_ratio)
    select hold_id, organization_id, ${instanceId}, model_id, user_id, agent_id, deployment_id, chat_id, message_id,
      input_ratio, output_ratio
    from admitted)`

/**
 * Continues a WITH list that has `closing` (place, hold_id, entry_id, input_tokens, output_tokens, reason), a row for
 * each hold that is to be closed: with a DEBIT of its weighted usage, or with a RELEASE where input_tokens is null.
 * Adds `closed` (hold_id, amount), without the holds that something else has closed before. The day's usage is added
 * under the account's lock.
 */
export const closeHolds = (sql: Sql): Fragment => sql`
  removed as (
    delete from open_holds using closing where open_holds.id = closing.hold_id
    returning open_holds.*, closing.place, closing.entry_id, closing.input_tokens, closing.output_tokens,
      closing.reason),
  closed as (
    select removed.*, removed.id as hold_id,
      -round(coalesce(input_tokens * input_ratio + output_tokens * output_ratio, 0), 6) as amount
    from removed),
  account as (
    select organization_id, balance from credit_accounts
    where organization_id in (select organization_id from closed)
    order by organization_id for update),
  settled as (
    update credit_accounts set balance = balance + sums.amount, held = held - sums.holds
    from (select organization_id, sum(amount) as amount, count(*)::int as holds from closed group by 1) as sums
    where credit_accounts.organization_id = sums.organization_id),
  closing_entry as (
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, hold_id,
      model_id, user_id, agent_id, deployment_id, chat_id, message_id, usage, reason)
    select entry_id, organization_id, case when input_tokens is null then 'RELEASE' else 'DEBIT' end,
      case when input_tokens is null then 1 else -amount end, amount,
      account.balance + sum(amount) over (partition by organization_id order by place),
      hold_id, model_id, user_id, agent_id, deployment_id, chat_id, message_id,
      case when input_tokens is not null
        then jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) end,
      reason
    from closed join account using (organization_id) order by place),
  used as (
    insert into usage_days as u (organization_id, day, model_id, user_id, agent_id, deployment_id, messages,
      input_tokens, output_tokens, credits)
    select organization_id, (now() at time zone 'utc')::date, model_id, user_id, agent_id, deployment_id, count(*),
      sum(input_tokens), sum(output_tokens), -sum(amount)
    from closed join account using (organization_id) where input_tokens is not null
    group by organization_id, model_id, user_id, agent_id, deployment_id
    on conflict (organization_id, day, model_id, user_id, agent_id, deployment_id) do update set
      messages = u.messages + excluded.messages, input_tokens = u.input_tokens + excluded.input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, credits = u.credits + excluded.credits)`

import type { ISql } from 'postgres'
import { expect } from 'vitest'

/** The expectation of a call that costs at most a credit. */
export const ONE_CREDIT = async () => ({ inputTokens: 0, outputTokens: 0 })

/**
 * Expects a consistent ledger. The balance is the sum of all amounts, and every hold is either open or closed exactly
 * once. Counters of open holds, messages per day, usage per day and budgets match a recount.
 */
export async function expectSoundLedger(sql: ISql, organizationId: string): Promise<void> {
  const [account] = await sql`
    with entries as (select * from ledger_entries where organization_id = ${organizationId}),
    holds as (select * from open_holds where organization_id = ${organizationId}),
    today as (select (now() at time zone 'utc')::date as day)
    select balance - (select coalesce(sum(amount), 0) from entries) as "ofBalance",
      held - (select count(*) from holds) as "ofHeld",
      (select count(*) from holds full join (
        select id from entries where kind = 'HOLD' and id not in (select hold_id from entries where hold_id is not null)
      ) as unclosed using (id) where holds.organization_id is null or unclosed.id is null) as "ofHolds",
      case when messages_day = today.day then messages_taken else 0 end - (
        select count(*) from entries
        where kind = 'HOLD' and message_id is not null and (created_at at time zone 'utc')::date = today.day
      ) as "ofMessages"
    from credit_accounts, today where organization_id = ${organizationId}`
  expect(numbers(account)).toEqual({ ofBalance: 0, ofHeld: 0, ofHolds: 0, ofMessages: 0 })

  const lines = await sql`
    select count(*)::int as lines from (
      select balance_after - sum(amount) over (order by position) as difference
      from ledger_entries where organization_id = ${organizationId}) as line where difference <> 0`
  expect(lines).toEqual([{ lines: 0 }])

  const days = await sql`
    select count(*)::int as days from (
      select sum(messages) as messages, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
        sum(credits) as credits
      from (
        select day, model_id, user_id, api_key_id, agent_id, deployment_id, messages, input_tokens, output_tokens,
          credits
        from usage_days where organization_id = ${organizationId}
        union all
        select (created_at at time zone 'utc')::date, model_id, user_id, api_key_id, agent_id, deployment_id,
          case reason when 'title' then 0 else -1 end, -(usage ->> 'input_tokens')::bigint, -(usage ->> 'output_tokens')::bigint, amount
        from ledger_entries where organization_id = ${organizationId} and kind = 'DEBIT') as both_sides
      group by day, model_id, user_id, api_key_id, agent_id, deployment_id) as difference
    where (messages, input_tokens, output_tokens, credits) <> (0, 0, 0, 0)`
  expect(days).toEqual([{ days: 0 }])

  const budgets = await sql`
    select b.held + b.held_beyond - (select coalesce(sum(expected), 0) from open_holds h where h.organization_id = b.organization_id
        and (h.user_id = b.user_id or h.api_key_id = b.api_key_id)) as "ofHeld",
      case when b.month < this.month then 0 else b.spent end + (
        select coalesce(sum(amount), 0) from ledger_entries e where e.organization_id = b.organization_id
          and e.kind = 'DEBIT' and (e.user_id = b.user_id or e.api_key_id = b.api_key_id)
          and (e.created_at at time zone 'utc')::date >= this.month) as "ofSpent"
    from budgets b, (select date_trunc('month', now() at time zone 'utc')::date as month) as this
    where b.organization_id = ${organizationId}`
  for (const budget of budgets) expect(numbers(budget)).toEqual({ ofHeld: 0, ofSpent: 0 })
}

const numbers = (row: Record<string, unknown> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))

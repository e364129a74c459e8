import type { PendingQuery, Row, Sql } from 'postgres'

/**
 * Extends a WITH list that contains `line` (closed holds, with balance_after) and `account` (the accounts before the
 * debits). Adds `announced`, which contains:
 *
 * - billing.debited for each debit, and billing.credits_low if the balance drops below the account's threshold. These
 * events are created only for organizations with an enabled webhook. For other organizations, the cost is one index
 * lookup.
 * - the events of `also`
 */
export const announceDebits = (sql: Sql, also: PendingQuery<Row[]> | null): PendingQuery<Row[]> => sql`
  listening as (
    select distinct organization_id from webhook_endpoints
    where organization_id in (select organization_id from account) and is_enabled),
  announced as (
    select organization_id, 'billing.debited' as event_type, jsonb_build_object(
      'ledger_entry_id', entry_id, 'organization_id', organization_id, 'model_id', model_id, 'user_id', user_id,
      'api_key_id', api_key_id, 'agent_id', agent_id, 'deployment_id', deployment_id, 'chat_id', chat_id,
      'message_id', message_id, 'credits', -amount, 'balance', balance_after,
      'usage', jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens)) as data, ordinal
    from line join listening using (organization_id) where input_tokens is not null
    union all
    select organization_id, 'billing.credits_low', jsonb_build_object(
      'organization_id', organization_id, 'balance', balance + sum, 'available', balance + sum - held + holds,
      'threshold', low_below), last_ordinal + 1
    from account join listening using (organization_id) join (
      select organization_id, sum(amount) as sum, count(*) as holds, max(ordinal) as last_ordinal
      from line group by 1) as sums using (organization_id)
    where balance >= low_below and balance + sum < low_below
    ${also ? sql`union all ${also}` : sql``})`

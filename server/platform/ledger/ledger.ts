import type { OpenDatabase } from '#database/connect.ts'
import { and, desc, eq, lt, type SQL, sql as statement } from '#database/drizzle.ts'
import { grouped, toRows } from '#database/grouped.ts'
import { newId } from '#database/new-id.ts'
import { creditAccounts, ledgerEntries } from '#database/schema/ledger.ts'
import { fail } from '#errors'
import { queueAnnounced } from '#platform/events/outbox.ts'
import { type Expect, GROUP_MAX, groupedOpening } from './grouped-opening.ts'
import { closeHolds, type HoldRefusal, openHolds } from './hold-statements.ts'
import { refusalOf } from './refusals.ts'
import { retryStale, STALE } from './retry-stale.ts'

export type LedgerEntry = typeof ledgerEntries.$inferSelect

/** The organization, member and API key to charge for a model call. A Scope is a Payer. */
export interface Payer {
  organizationId: string
  /** Null if no user requested the call, for example during the ingestion of a knowledge base. */
  userId: string | null
  /** The user's API key. Null for a session. */
  apiKeyId: string | null
  agentId?: string | null
  deploymentId?: string | null
  /** The chat that the call belongs to. */
  chatId?: string | null
  /** True for an agent of another organization. Its model is hidden, even from the payer. */
  hidesModel?: boolean
}

/** A model with the payer's prices. */
export interface PricedModel {
  id: string
  /** Credits per input and output token. */
  inputRatio: number
  outputRatio: number
  /** The models that may answer, if it is a route. */
  members?: readonly { id: string }[]
}

/**
 * A hold to open. The id is created in advance, so that a single statement can insert the hold together with its
 * work.
 */
export interface NewHold {
  hold_id: string
  organization_id: string
  user_id: string | null
  /** The API key of the request. Null for a session. */
  api_key_id: string | null
  chat_id: string | null
  /** Null for an agent of another organization, whose model is hidden from the payer. */
  model_id: string | null
  /** The models that may answer, if they differ from `model_id`. */
  member_ids?: string[]
  agent_id: string | null
  deployment_id: string | null
  input_ratio: number
  output_ratio: number
}

/** Returns a new hold for a model call. The ledger opens it, or the statement that begins a reply. */
export const newHold = (
  payer: Payer,
  { id, inputRatio, outputRatio, members = [] }: PricedModel,
): NewHold => ({
  hold_id: newId(),
  organization_id: payer.organizationId,
  user_id: payer.userId,
  api_key_id: payer.apiKeyId,
  chat_id: payer.chatId ?? null,
  model_id: payer.hidesModel ? null : id,
  ...(!payer.hidesModel &&
    members.some((member) => member.id !== id) && { member_ids: members.map((member) => member.id) }),
  agent_id: payer.agentId ?? null,
  deployment_id: payer.deploymentId ?? null,
  input_ratio: inputRatio,
  output_ratio: outputRatio,
})

/** The member that answered, if the hold names a route. Closing the hold charges its price. */
export interface Answered {
  answered_model_id?: string
  answered_input_ratio?: number
  answered_output_ratio?: number
}

/** Returns the model that answered, if it isn't the model of the hold. */
export const answeredBy = (ofHold: PricedModel, answered: PricedModel | null | undefined): Answered =>
  !answered || answered.id === ofHold.id
    ? {}
    : {
        answered_model_id: answered.id,
        answered_input_ratio: answered.inputRatio,
        answered_output_ratio: answered.outputRatio,
      }

/**
 * The credits of organizations. Chat replies open and close their holds in their own statements (hold-statements.ts).
 * All other model calls use this interface.
 */
export interface Ledger {
  /**
   * Returns the balance, the credits reserved by open holds, the available credits, and the threshold for low
   * credits.
   */
  balance(
    organizationId: string,
  ): Promise<{ balance: number; held: number; available: number; lowBelow: number }>
  /** Returns the entries before the entry `below`, newest first. */
  entries(
    organizationId: string,
    only: { below: string | undefined; kind: LedgerEntry['kind'] | undefined },
    count: number,
  ): Promise<LedgerEntry[]>
  /**
   * Reserves a credit, and in budgets what `expect` returns. Returns the hold's id. Throws billing.budget_exceeded, billing.insufficient_credits or
   * org.daily_chat_limit.
   */
  hold(payer: Payer, model: PricedModel, expect: Expect, reason?: string | null): Promise<string>
  /**
   * Closes a hold with a debit of the usage. If `usage` is null, closes it with a release. Does nothing if the hold
   * is already closed.
   */
  settle(
    holdId: string,
    usage: { inputTokens: number; outputTokens: number } | null,
    reason: string | null,
    answered?: Answered,
  ): Promise<void>
  /** Adds credits. Throws org.not_found. */
  grant(organizationId: string, amount: number, reason: string): Promise<LedgerEntry>
}

/** The predicate of the index on rare kinds. The planner cannot derive it from a parameter. */
const IS_RARE = statement`${ledgerEntries.kind} in ('CREDIT', 'RELEASE')`
export function createLedger({ sql, db }: OpenDatabase, instanceId: string): Ledger {
  const open = groupedOpening((holds: Hold[], areLimited) => openAll(sql, instanceId, holds, areLimited))
  const close = grouped(
    (closings: HoldClosing[]) => retryStale(closings, (some) => closeAll(sql, some)),
    GROUP_MAX,
  )
  return {
    async hold(payer, model, expect, reason = null) {
      const hold = { ...newHold(payer, model), reason }
      const refusal = await open(hold, expect)
      if (refusal !== null) throw refusalOf(refusal)
      return hold.hold_id
    },
    async settle(holdId, usage, reason, answered = {}) {
      await close({
        hold_id: holdId,
        entry_id: newId(),
        input_tokens: usage?.inputTokens ?? null,
        output_tokens: usage?.outputTokens ?? null,
        reason,
        ...answered,
      })
    },
    async balance(organizationId) {
      const [account] = await db
        .select()
        .from(creditAccounts)
        .where(eq(creditAccounts.organizationId, organizationId))
      const { balance = 0, held = 0, lowBelow = 0 } = account ?? {}
      return { balance, held, available: balance - held, lowBelow }
    },
    entries: (organizationId, { below, kind }, count) =>
      db
        .select()
        .from(ledgerEntries)
        .where(
          and(
            eq(ledgerEntries.organizationId, organizationId),
            kind && eq(ledgerEntries.kind, kind),
            kind === 'CREDIT' || kind === 'RELEASE' ? IS_RARE : undefined,
            below === undefined ? undefined : lt(ledgerEntries.position, positionOf(below)),
          ),
        )
        .orderBy(desc(ledgerEntries.position))
        .limit(count),
    async grant(organizationId, amount, reason) {
      const id = newId()
      const added = await sql`
        with account as (
          update credit_accounts set balance = balance + ${amount}
          where organization_id = ${organizationId} returning organization_id, balance)
        insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, reason)
        select ${id}, organization_id, 'CREDIT', ${amount}, ${amount}, balance, ${reason} from account`
      if (added.count === 0) throw fail('org.not_found', { value: organizationId })
      const [entry] = await db.select().from(ledgerEntries).where(eq(ledgerEntries.id, id))
      return entry as LedgerEntry
    },
  }
}

type Hold = NewHold & { reason: string | null }

interface HoldClosing extends Answered {
  hold_id: string
  entry_id: string
  input_tokens: number | null
  output_tokens: number | null
  reason: string | null
}

/** Opens holds. For each hold, returns its refusal, or null if the hold is now open. */
async function openAll(
  sql: OpenDatabase['sql'],
  instanceId: string,
  holds: Hold[],
  areLimited: boolean,
): Promise<(HoldRefusal | typeof STALE | null)[]> {
  const rows = await sql<{ ordinal: number; refusal: HoldRefusal | typeof STALE | null }[]>`
    with ready as (
      select *, null::uuid as message_id
      from json_to_recordset(${toRows(holds)}::text::json) as r (ordinal int, hold_id uuid, organization_id uuid,
        model_id uuid, user_id uuid, api_key_id uuid, agent_id uuid, deployment_id uuid, chat_id uuid, reason text,
        input_ratio numeric, output_ratio numeric, input_expected numeric, output_max numeric, member_ids uuid[])),
    ${openHolds(sql, instanceId, { areMessages: false, areLimited })}
    select ordinal, refusal from weighed`
  const byOrdinal = new Map(rows.map(({ ordinal, refusal }) => [ordinal, refusal]))
  return holds.map((_, ordinal) => byOrdinal.get(ordinal) as HoldRefusal | typeof STALE | null)
}

async function closeAll(
  sql: OpenDatabase['sql'],
  closings: HoldClosing[],
): Promise<(typeof STALE | undefined)[]> {
  const [row] = await sql<{ missed: number[] }[]>`
    with closing as (
      select * from json_to_recordset(${toRows(closings)}::text::json) as r (ordinal int, hold_id uuid, entry_id uuid,
        input_tokens int, output_tokens int, reason text, answered_model_id uuid, answered_input_ratio numeric,
        answered_output_ratio numeric)),
    ${closeHolds(sql)}
    select ${queueAnnounced(sql)}, array(select ordinal from missed) as missed`
  return closings.map((_, ordinal) => (row?.missed.includes(ordinal) ? STALE : undefined))
}

/** SQL for the position of an entry. Entries are ordered by position, and their balance_after follows this order. */
const positionOf = (id: string): SQL =>
  statement`(select ${ledgerEntries.position} from ${ledgerEntries} where ${ledgerEntries.id} = ${id})`

import Type, { type Static } from 'typebox'
import type { budgets } from '#database/schema/ledger.ts'
import { Body, Enum, Nullable, PageOf, PageQuery, Timestamp, Uuid } from '#platform/http/schemas.ts'
import type { LedgerEntry } from '#platform/ledger/ledger.ts'
import { nextMonth, thisMonth } from '#platform/limits/calendar.ts'

const CREDITS_MAX = 1e15
/** The smallest amount that the ledger can tell from nothing. */
const AMOUNT_MIN = 0.000001
const Credits = Type.Number({ description: 'Credits; one is a weighted token' })

const Threshold = Type.Number({
  minimum: 0,
  maximum: CREDITS_MAX,
  description: 'The event billing.credits_low is sent when the balance falls below it',
})

export const Balance = Type.Object(
  {
    balance: Credits,
    held: Type.Integer({ description: 'Open holds' }),
    available: Credits,
    credits_low_threshold: Threshold,
  },
  { title: 'Balance' },
)
export type Balance = Static<typeof Balance>

export const Settings = Body({ credits_low_threshold: Threshold })
export type Settings = Static<typeof Settings>

const Amount = Type.Number({ minimum: AMOUNT_MIN, maximum: CREDITS_MAX })

export const Grant = Body({
  organization_id: Uuid,
  amount: Amount,
  reason: Type.String({ minLength: 1, maxLength: 500 }),
})

export const NewTransfer = Body({ from_org: Uuid, to_org: Uuid, amount: Amount })
export type NewTransfer = Static<typeof NewTransfer>

export const TransferView = Type.Object(
  {
    from_org: Uuid,
    to_org: Uuid,
    amount: Credits,
    from_entry_id: Type.String({ format: 'uuid', description: 'In the ledger of from_org' }),
    to_entry_id: Type.String({ format: 'uuid', description: 'In the ledger of to_org' }),
  },
  { title: 'CreditTransfer' },
)
export type TransferView = Static<typeof TransferView>

const EntryKind = Enum(['HOLD', 'DEBIT', 'RELEASE', 'CREDIT'])
export const LedgerQuery = Type.Object({
  org_id: Uuid,
  kind: Type.Optional(EntryKind),
  ...PageQuery,
})

export const EntryView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    kind: EntryKind,
    quantity: Type.Number(),
    amount: Type.Number({ description: 'What the entry adds to the balance: 0 for HOLD and RELEASE' }),
    hold_id: Nullable(Uuid),
    model_id: Nullable(Uuid),
    user_id: Nullable(Uuid),
    api_key_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    deployment_id: Nullable(Uuid),
    chat_id: Nullable(Uuid),
    message_id: Nullable(Uuid),
    usage: Nullable(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
    transfer: Nullable(
      Type.Object({ from_org: Uuid, to_org: Uuid }, { description: 'Set for both entries of a transfer' }),
    ),
    reason: Nullable(Type.String()),
    balance_after: Credits,
    created_at: Timestamp,
  },
  { title: 'LedgerEntry' },
)
export const EntryPage = PageOf(EntryView, 'LedgerPage')

export const viewEntry = (entry: LedgerEntry): Static<typeof EntryView> => ({
  id: entry.id,
  organization_id: entry.organizationId,
  kind: entry.kind,
  quantity: entry.quantity,
  amount: entry.amount,
  hold_id: entry.holdId,
  model_id: entry.modelId,
  user_id: entry.userId,
  api_key_id: entry.apiKeyId,
  agent_id: entry.agentId,
  deployment_id: entry.deploymentId,
  chat_id: entry.chatId,
  message_id: entry.messageId,
  usage: entry.usage,
  transfer: sidesOf(entry),
  reason: entry.reason,
  balance_after: entry.balanceAfter,
  created_at: entry.createdAt.toISOString(),
})

function sidesOf({ organizationId, counterpartyId, amount }: LedgerEntry) {
  if (counterpartyId === null) return null
  return amount < 0
    ? { from_org: organizationId, to_org: counterpartyId }
    : { from_org: counterpartyId, to_org: organizationId }
}

export const NewBudget = Body({
  user_id: Type.Optional(Uuid),
  api_key_id: Type.Optional(Uuid),
  credits_per_month: Type.Number({ minimum: 0, maximum: CREDITS_MAX }),
})
export type NewBudget = Static<typeof NewBudget>

export const BudgetView = Type.Object(
  {
    id: Uuid,
    user_id: Nullable(Uuid),
    api_key_id: Nullable(Uuid),
    credits_per_month: Credits,
    spent: Type.Number({ description: 'Credits in this month (UTC)' }),
    held: Type.Integer({ description: 'Open holds; each reserves one credit' }),
    available: Credits,
    resets_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Budget' },
)
export type BudgetView = Static<typeof BudgetView>
export const BudgetPage = PageOf(BudgetView, 'BudgetPage')

export function viewBudget(budget: typeof budgets.$inferSelect): BudgetView {
  // A month that has passed is forgotten with the first debit of the next one.
  const spent = budget.month < thisMonth() ? 0 : budget.spent
  return {
    id: budget.id,
    user_id: budget.memberId,
    api_key_id: budget.apiKeyId,
    credits_per_month: budget.creditsPerMonth,
    spent,
    held: budget.held,
    available: budget.creditsPerMonth - spent - budget.held,
    resets_at: `${nextMonth()}T00:00:00.000Z`,
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  }
}

const Day = Type.String({ maxLength: 10, description: 'A day (UTC), such as 2026-01-31' })
export const UsageQuery = Type.Object({
  org_id: Uuid,
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  group_by: Type.Optional(
    Type.String({
      maxLength: 100,
      default: 'day',
      description: 'Up to three of day, model, user, agent, deployment, api_key, parted by commas',
    }),
  ),
})

const sums = {
  messages: Type.Integer({ description: 'Replies that were paid' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  credits: Type.Number(),
}
const Name = Type.Optional(Nullable(Type.String()))
const RecordId = Type.Optional(Nullable(Uuid))
const UsageRow = Type.Object({
  day: Type.Optional(Day),
  model_id: RecordId,
  model_name: Name,
  user_id: RecordId,
  user_email: Name,
  agent_id: RecordId,
  agent_name: Name,
  deployment_id: RecordId,
  deployment_name: Name,
  api_key_id: RecordId,
  api_key_name: Name,
  ...sums,
})
export type UsageRow = Static<typeof UsageRow>

export const UsageView = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    group_by: Type.Array(Enum(['day', 'model', 'user', 'agent', 'deployment', 'api_key'])),
    totals: Type.Object(sums),
    rows: Type.Array(UsageRow),
  },
  { title: 'Usage' },
)
export type UsageView = Static<typeof UsageView>

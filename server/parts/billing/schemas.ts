import Type, { type Static } from 'typebox'
import type { Config } from '#config'
import type { budgets } from '#database/schema/ledger.ts'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  InputTokens,
  idOf,
  Nullable,
  ObjectId,
  OrganizationId,
  OrgId,
  OutputTokens,
  PageOf,
  PageQuery,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'
import { costOf } from '#platform/ledger/cost.ts'
import type { LedgerEntry } from '#platform/ledger/ledger.ts'
import { nextMonth, thisMonth } from '#platform/limits/calendar.ts'

const CREDITS_MAX = 1e15
/** The smallest positive amount that the ledger can store. */
const AMOUNT_MIN = 0.000001
const Credits = Type.Number({ description: 'Amount, in credits.' })

/** Present if the operator has set CREDIT_PRICE. */
const Cost = Type.Object(
  {
    amount: Type.String({ description: 'Exact amount, as a decimal number.' }),
    currency: Type.String({ description: 'Currency, in ISO 4217.' }),
  },
  { description: 'Cost of the credits. Present if the installation has a price for credits.' },
)

const Threshold = Type.Number({
  minimum: 0,
  maximum: CREDITS_MAX,
  description: 'Balance below which the `billing.credits_low` event is sent, in credits.',
})

export const Balance = Type.Object(
  {
    balance: described(Credits, 'Balance, in credits.'),
    held: Type.Integer({ description: 'Number of open holds. Each reserves one credit.' }),
    available: described(Credits, 'Balance minus holds, in credits.'),
    credits_low_threshold: Threshold,
  },
  { title: 'Balance' },
)
export type Balance = Static<typeof Balance>

export const Settings = Body({ credits_low_threshold: Threshold })
export type Settings = Static<typeof Settings>

const Amount = Type.Number({ minimum: AMOUNT_MIN, maximum: CREDITS_MAX, description: 'Amount, in credits.' })

export const Grant = Body({
  organization_id: idOf('the organization that receives the credits'),
  amount: Amount,
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Reason for the grant, shown in the ledger.',
  }),
})

export const NewTransfer = Body({
  from_org: idOf('the organization that gives the credits'),
  to_org: idOf('the organization that receives the credits'),
  amount: Amount,
})
export type NewTransfer = Static<typeof NewTransfer>

export const TransferView = Type.Object(
  {
    from_org: idOf('the organization that gives the credits'),
    to_org: idOf('the organization that receives the credits'),
    amount: Credits,
    from_entry_id: Type.String({
      format: 'uuid',
      description: 'ID of the entry in the ledger of `from_org`.',
    }),
    to_entry_id: Type.String({ format: 'uuid', description: 'ID of the entry in the ledger of `to_org`.' }),
  },
  { title: 'CreditTransfer' },
)
export type TransferView = Static<typeof TransferView>

const EntryKind = Enum(['HOLD', 'DEBIT', 'RELEASE', 'CREDIT'], { description: 'Kind of ledger entry.' })
export const LedgerQuery = Type.Object({
  org_id: OrgId,
  kind: Type.Optional(EntryKind),
  ...PageQuery,
})

export const EntryView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    kind: EntryKind,
    quantity: Type.Number({ description: 'Quantity of the entry, in credits.' }),
    amount: Type.Number({ description: 'Change of the balance, in credits: 0 for HOLD and RELEASE.' }),
    hold_id: Nullable(idOf('the hold that the entry belongs to; null if none')),
    model_id: Nullable(idOf('the model; null if none was called')),
    user_id: Nullable(idOf('the user; null if none caused the entry')),
    api_key_id: Nullable(idOf('the API key; null if none was used')),
    agent_id: Nullable(idOf('the agent; null if none replied')),
    deployment_id: Nullable(idOf('the deployment; null if none was used')),
    chat_id: Nullable(idOf('the chat; null if none')),
    message_id: Nullable(idOf('the message; null if none')),
    usage: Nullable(
      Type.Object(
        { input_tokens: InputTokens, output_tokens: OutputTokens },
        { description: 'Usage of the model call; null if there is none.' },
      ),
    ),
    transfer: Nullable(
      Type.Object(
        {
          from_org: idOf('the organization that gives the credits'),
          to_org: idOf('the organization that receives the credits'),
        },
        { description: 'Organizations of a transfer; null for other entries.' },
      ),
    ),
    reason: Nullable(Type.String({ description: 'Reason for the entry; null if none was given.' })),
    balance_after: described(Credits, 'Balance after the entry, in credits.'),
    cost: Type.Optional(
      described(Cost, 'Cost of a DEBIT. Present if the installation has a price for credits.'),
    ),
    created_at: CreatedAt,
  },
  { title: 'LedgerEntry' },
)
export const EntryPage = PageOf(EntryView, 'LedgerPage')

export const viewEntry = (entry: LedgerEntry, price: CreditPrice): Static<typeof EntryView> => ({
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
  ...(entry.kind === 'DEBIT' && withCost(-entry.amount, price)),
  created_at: entry.createdAt.toISOString(),
})

type CreditPrice = Config['creditPrice']

/** Returns the cost of credits, if they have a price. */
export const withCost = (credits: number, price: CreditPrice): { cost?: Static<typeof Cost> } =>
  price ? { cost: costOf(credits, price) } : {}

function sidesOf({ organizationId, counterpartyId, amount }: LedgerEntry) {
  if (counterpartyId === null) return null
  return amount < 0
    ? { from_org: organizationId, to_org: counterpartyId }
    : { from_org: counterpartyId, to_org: organizationId }
}

export const NewBudget = Body({
  user_id: Type.Optional(Nullable(described(Uuid, 'ID of the member. Required without `api_key_id`.'))),
  api_key_id: Type.Optional(Nullable(described(Uuid, 'ID of the API key. Required without `user_id`.'))),
  credits_per_month: Type.Number({ minimum: 0, maximum: CREDITS_MAX, description: 'Credits per UTC month.' }),
})
export type NewBudget = Static<typeof NewBudget>

export const BudgetView = Type.Object(
  {
    id: ObjectId,
    user_id: Nullable(idOf('the member; null for the budget of an API key')),
    api_key_id: Nullable(idOf('the API key; null for the budget of a member')),
    credits_per_month: described(Credits, 'Credits per UTC month.'),
    spent: Type.Number({ description: 'Credits spent in this UTC month.' }),
    held: described(Credits, 'Expected cost of the calls in progress, in credits.'),
    available: described(Credits, 'Credits left in this month, minus holds.'),
    resets_at: described(Timestamp, 'When the next month begins, in ISO 8601 (UTC).'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'Budget' },
)
export type BudgetView = Static<typeof BudgetView>
export const BudgetPage = PageOf(BudgetView, 'BudgetPage')

export function viewBudget(budget: typeof budgets.$inferSelect): BudgetView {
  // At the start of a month, `spent` still has last month's value. The first debit of the month resets it.
  const spent = budget.month < thisMonth() ? 0 : budget.spent
  const held = budget.held + budget.heldBeyond
  return {
    id: budget.id,
    user_id: budget.memberId,
    api_key_id: budget.apiKeyId,
    credits_per_month: budget.creditsPerMonth,
    spent,
    held,
    available: budget.creditsPerMonth - spent - held,
    resets_at: `${nextMonth()}T00:00:00.000Z`,
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  }
}

const Day = Type.String({ maxLength: 10, description: 'UTC day, such as `2026-01-31`.' })
export const UsageQuery = Type.Object({
  org_id: OrgId,
  from: Type.Optional(described(Day, 'First UTC day, such as `2026-01-31`. Default: 29 days before `to`.')),
  to: Type.Optional(described(Day, 'Last UTC day, inclusive. Default: today.')),
  group_by: Type.Optional(
    Type.String({
      maxLength: 100,
      default: 'day',
      description: 'Up to 3 dimensions, separated by commas: day, model, user, agent, deployment, api_key.',
    }),
  ),
})

const sums = {
  messages: Type.Integer({ description: 'Number of charged replies.' }),
  input_tokens: InputTokens,
  output_tokens: OutputTokens,
  credits: Type.Number({ description: 'Credits charged.' }),
  cost: Type.Optional(Cost),
}
const Name = Type.Optional(Nullable(Type.String()))
const RecordId = Type.Optional(Nullable(Uuid))
const UsageRow = Type.Object({
  day: Type.Optional(described(Day, 'UTC day. Present if grouped by day.')),
  model_id: described(RecordId, 'ID of the model; null if unknown. Present if grouped by model.'),
  model_name: described(Name, 'Name of the model; null if unknown, as after its deletion.'),
  user_id: described(RecordId, 'ID of the user; null if unknown. Present if grouped by user.'),
  user_email: described(Name, 'Email address of the user; null if unknown.'),
  agent_id: described(RecordId, 'ID of the agent; null without one. Present if grouped by agent.'),
  agent_name: described(Name, 'Name of the agent; null if deleted or no longer public.'),
  deployment_id: described(
    RecordId,
    'ID of the deployment; null without one. Present if grouped by deployment.',
  ),
  deployment_name: described(Name, 'Name of the deployment; null without one or if deleted.'),
  api_key_id: described(RecordId, 'ID of the API key; null without one. Present if grouped by api_key.'),
  api_key_name: described(Name, 'Name of the API key; null without one or if deleted.'),
  ...sums,
})
export type UsageRow = Static<typeof UsageRow>

export const UsageView = Type.Object(
  {
    from: Type.String({ description: 'First UTC day.' }),
    to: Type.String({ description: 'Last UTC day, inclusive.' }),
    group_by: Type.Array(Enum(['day', 'model', 'user', 'agent', 'deployment', 'api_key']), {
      description: 'Dimensions of the rows.',
    }),
    totals: Type.Object(sums, { description: 'Usage of the whole period.' }),
    rows: Type.Array(UsageRow, { description: 'Usage per group.' }),
  },
  { title: 'Usage' },
)
export type UsageView = Static<typeof UsageView>

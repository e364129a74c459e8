import Type, { type Static } from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { readPage } from '#platform/http/pagination.ts'
import { Body, Enum, Nullable, PageOf, PageQuery, Timestamp, Uuid } from '#platform/http/schemas.ts'
import type { LedgerEntry } from '#platform/ledger/ledger.ts'
import type { Rooms } from '#platform/rooms.ts'

const GRANT_MAX = 1e15
/** The smallest amount that the ledger can tell from nothing. */
const GRANT_MIN = 0.000001
const Credits = Type.Number({ description: 'Credits; one is a weighted token' })

const Balance = Type.Object(
  { balance: Credits, held: Type.Integer({ description: 'Open holds' }), available: Credits },
  { title: 'Balance' },
)

const EntryView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    kind: Enum(['HOLD', 'DEBIT', 'RELEASE', 'CREDIT']),
    quantity: Type.Number(),
    amount: Type.Number({ description: 'What the entry adds to the balance: 0 for HOLD and RELEASE' }),
    hold_id: Nullable(Uuid),
    model_id: Nullable(Uuid),
    chat_id: Nullable(Uuid),
    message_id: Nullable(Uuid),
    usage: Nullable(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })),
    reason: Nullable(Type.String()),
    balance_after: Credits,
    created_at: Timestamp,
  },
  { title: 'LedgerEntry' },
)

const viewEntry = (entry: LedgerEntry): Static<typeof EntryView> => ({
  id: entry.id,
  organization_id: entry.organizationId,
  kind: entry.kind,
  quantity: entry.quantity,
  amount: entry.amount,
  hold_id: entry.holdId,
  model_id: entry.modelId,
  chat_id: entry.chatId,
  message_id: entry.messageId,
  usage: entry.usage,
  reason: entry.reason,
  balance_after: entry.balanceAfter,
  created_at: entry.createdAt.toISOString(),
})

/** What an organization has, had and was given (contract, 6). */
export const billingRoutes = ({ ledger }: Rooms): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/billing/balance',
    summary: "Get an organization's credits",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: Uuid }),
    reply: [200, Balance],
    errors: ['org.not_found'],
    handler: ({ scope }) => ledger.balance(scope.organizationId),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/billing/ledger',
    summary: "List an organization's ledger, newest first",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: Uuid, ...PageQuery }),
    reply: [200, PageOf(EntryView, 'LedgerPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) =>
      readPage(query, (below, count) => ledger.entries(scope.organizationId, below, count), viewEntry),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/billing/credits',
    summary: 'Give an organization credits',
    access: 'system',
    body: Body({
      organization_id: Uuid,
      amount: Type.Number({ minimum: GRANT_MIN, maximum: GRANT_MAX }),
      reason: Type.String({ minLength: 1, maxLength: 500 }),
    }),
    example: {
      organization_id: '019a0000-0000-7000-8000-000000000001',
      amount: 50_000,
      reason: 'Order 1042',
    },
    reply: [201, EntryView],
    errors: ['org.not_found'],
    handler: async ({ body }) =>
      viewEntry(await ledger.grant(body.organization_id, body.amount, body.reason)),
  }),
]

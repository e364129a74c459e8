import Type from 'typebox'
import { prefers } from '#platform/http/accept.ts'
import { CSV_TYPE } from '#platform/http/csv.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { readPage } from '#platform/http/pagination.ts'
import { idOf, Message, OrgId, PageQuery } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { deleteBudget, listBudgets, setBudget } from './budgets.ts'
import { changeSettings, readBalance } from './credits.ts'
import { readUsage, usageFile } from './read-usage.ts'
import {
  Balance,
  BudgetPage,
  BudgetView,
  EntryPage,
  EntryView,
  Grant,
  LedgerQuery,
  NewBudget,
  NewTransfer,
  Settings,
  TransferView,
  UsageQuery,
  UsageView,
  viewEntry,
} from './schemas.ts'
import { transferCredits } from './transfer-credits-system.ts'

export { billingTables } from './tables.ts'

const InOrganization = Type.Object({ org_id: OrgId })

/** What an organization has, had and was given, and what of it who may spend (contract, 6). */
export const billingRoutes = (services: Services): Route[] => [...creditRoutes(services), ...budgetRoutes]

const creditRoutes = ({ ledger, database }: Services): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/billing/balance',
    summary: "Get an organization's credits",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: InOrganization,
    reply: [200, Balance],
    errors: ['org.not_found'],
    handler: ({ scope }) => readBalance(ledger, scope),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/billing/ledger',
    summary: "List an organization's ledger, newest first",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: LedgerQuery,
    reply: [200, EntryPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) =>
      readPage(
        query,
        (below, count) => ledger.entries(scope.organizationId, { below, kind: query.kind }, count),
        viewEntry,
      ),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/billing/usage',
    summary: 'Read what an organization has used',
    description:
      'The last thirty days where from and to are left out, 366 at most. With `Accept: text/csv` the rows are a table.',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: UsageQuery,
    reply: { view: UsageView, orFile: CSV_TYPE, description: 'What was used, in groups and in all' },
    errors: ['org.not_found'],
    async handler({ scope, query, headers }) {
      const usage = await readUsage(scope, query)
      return prefers(CSV_TYPE, headers.accept) ? usageFile(usage) : usage
    },
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/billing/settings',
    summary: 'Set when an organization is told that its credits run out',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: Settings,
    example: { credits_low_threshold: 50_000 },
    effects: 'database',
    reply: [200, Balance],
    errors: ['org.not_found'],
    async handler({ scope, body }) {
      await changeSettings(scope, body)
      return readBalance(ledger, scope)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/billing/transfer',
    summary: 'Move credits between two organizations',
    description:
      'The caller has to be an active owner of both. Moves at most what from_org has available, in one transaction: each ' +
      'organization gets an entry of kind CREDIT, negative in from_org, positive in to_org.',
    access: 'session',
    body: NewTransfer,
    example: {
      from_org: '019a0000-0000-7000-8000-000000000001',
      to_org: '019a0000-0000-7000-8000-000000000002',
      amount: 50_000,
    },
    effects: 'database',
    reply: [201, TransferView],
    errors: ['org.not_found', 'org.owner_needed', 'billing.transfer_too_large'],
    handler: ({ caller, body }) => transferCredits(database, caller, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/billing/credits',
    summary: 'Give an organization credits',
    access: 'system',
    body: Grant,
    example: {
      organization_id: '019a0000-0000-7000-8000-000000000001',
      amount: 50_000,
      reason: 'Order 1042',
    },
    effects: 'database',
    reply: [201, EntryView],
    errors: ['org.not_found'],
    handler: async ({ body }) =>
      viewEntry(await ledger.grant(body.organization_id, body.amount, body.reason)),
  }),
]

const budgetRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    url: '/api/billing/budgets',
    summary: "List an organization's budgets, newest first",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, BudgetPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listBudgets(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/billing/budgets',
    summary: 'Set what a member or an API key may spend in a month',
    description:
      'Give user_id or api_key_id. A member has one budget, with whatever key he asks; a key has one beside it. ' +
      'Months are those of UTC.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: NewBudget,
    example: { user_id: '0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e61', credits_per_month: 200_000 },
    effects: 'database',
    reply: [200, BudgetView],
    errors: ['org.not_found', 'user.not_found', 'api_key.not_found'],
    handler: ({ scope, body }) => setBudget(scope, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/billing/budgets',
    summary: 'Remove a budget',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, budget_id: idOf('the budget') }),
    effects: 'database',
    reply: [200, Message],
    errors: ['org.not_found', 'billing.budget_not_found'],
    async handler({ scope, query }) {
      await deleteBudget(scope, query.budget_id)
      return { message: 'Budget removed' }
    },
  }),
]

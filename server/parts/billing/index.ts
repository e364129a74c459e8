import Type from 'typebox'
import { prefers } from '#platform/http/accept.ts'
import { CSV_TYPE } from '#platform/http/csv.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { COLLEAGUE, ORGANIZATION, OTHER_ORGANIZATION } from '#platform/http/example-values.ts'
import { readPage } from '#platform/http/pagination.ts'
import { confirms, described, idOf, OrgId, PageQuery, Uuid } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { deleteBudget, listBudgets, readBudget, setBudget } from './budgets.ts'
import { changeSettings, readBalance } from './credits.ts'
import { LimitPage, LimitView, NewLimit } from './limit-schemas.ts'
import { deleteLimit, listLimits, readLimit, setLimit } from './limits.ts'
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

/** Routes of an organization's credits, ledger, usage, budgets and limits per minute (docs/billing.md). */
export const billingRoutes = (services: Services): Route[] => [
  ...creditRoutes(services),
  ...budgetRoutes,
  ...limitRoutes,
]

const creditRoutes = ({ config, ledger, database }: Services): Route[] => [
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
        (entry) => viewEntry(entry, config.creditPrice),
      ),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/billing/usage',
    summary: "Get an organization's usage",
    description:
      'By default, returns the last 30 days; at most 366. With `Accept: text/csv`, returns the rows as CSV.',
    access: { permission: 'organization:read', orgOf: 'query' },
    query: UsageQuery,
    reply: { view: UsageView, orFile: CSV_TYPE, description: 'Usage per group and in total.' },
    errors: ['org.not_found'],
    async handler({ scope, query, headers }) {
      const usage = await readUsage(scope, query, config.creditPrice)
      return prefers(CSV_TYPE, headers.accept) ? usageFile(usage) : usage
    },
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/billing/update_settings',
    summary: 'Set the threshold of the low-credits event',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: Settings,
    example: { credits_low_threshold: 100_000 },
    effects: 'database',
    current: ({ scope }) => readBalance(ledger, scope),
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
    summary: 'Transfer credits between two organizations',
    description:
      'The caller must be an active owner of both. Moves at most what `from_org` has available, in one ' +
      'transaction. Each organization gets an entry of kind CREDIT: negative in `from_org`, positive in ' +
      '`to_org`.',
    access: 'session',
    body: NewTransfer,
    example: { from_org: ORGANIZATION, to_org: OTHER_ORGANIZATION, amount: 50_000 },
    effects: 'database',
    reply: [201, TransferView],
    errors: [
      'org.not_found',
      'org.owner_needed',
      'billing.transfer_too_large',
      'access.organization_suspended',
    ],
    handler: ({ caller, body }) => transferCredits(database, caller, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/billing/credits',
    summary: 'Grant credits to an organization',
    access: 'system',
    body: Grant,
    example: { organization_id: ORGANIZATION, amount: 50_000, reason: 'Invoice 2026-031' },
    effects: 'database',
    reply: [201, EntryView],
    errors: ['org.not_found'],
    handler: async ({ body }) =>
      viewEntry(await ledger.grant(body.organization_id, body.amount, body.reason), config.creditPrice),
  }),
]

const budgetRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    url: '/api/billing/budgets/list',
    summary: "List an organization's budgets, newest first",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({
      org_id: OrgId,
      user_id: Type.Optional(described(Uuid, 'Filter by the member that the budget limits.')),
      ...PageQuery,
    }),
    reply: [200, BudgetPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listBudgets(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/billing/budgets/set',
    summary: 'Set the monthly budget of a member or API key',
    description:
      'Send `user_id` or `api_key_id`; the other is null or omitted. A member has one budget across all their keys; a key has a budget of its ' +
      'own besides. Months are in UTC.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: NewBudget,
    example: { user_id: COLLEAGUE, credits_per_month: 50_000 },
    effects: 'database',
    current: ({ scope, body }) => readBudget(scope, body),
    reply: [200, BudgetView],
    errors: ['org.not_found', 'user.not_found', 'api_key.not_found'],
    handler: ({ scope, body }) => setBudget(scope, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/billing/budgets/delete',
    summary: 'Delete a budget',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, budget_id: idOf('the budget') }),
    effects: 'database',
    reply: confirms('Budget removed'),
    errors: ['org.not_found', 'billing.budget_not_found'],
    async handler({ scope, query }) {
      await deleteBudget(scope, query.budget_id)
    },
  }),
]

const limitRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    url: '/api/billing/limits/list',
    summary: "List an organization's limits per minute, newest first",
    access: { permission: 'organization:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, LimitPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listLimits(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/billing/limits/set',
    summary: 'Limit the model calls of a member, an API key or a model per minute',
    description: 'Replaces the limits of this member, API key or model. An omitted limit is removed.',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: InOrganization,
    body: NewLimit,
    example: { user_id: COLLEAGUE, requests_per_minute: 60, tokens_per_minute: 200_000 },
    effects: 'database',
    current: ({ scope, body }) => readLimit(scope, body),
    reply: [200, LimitView],
    errors: [
      'org.not_found',
      'user.not_found',
      'api_key.not_found',
      'llm.not_found',
      'billing.limit_not_found',
    ],
    handler: ({ scope, body }) => setLimit(scope, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/billing/limits/delete',
    summary: 'Delete limits per minute',
    access: { permission: 'organization:admin', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, limit_id: idOf('the limit') }),
    effects: 'database',
    reply: confirms('Limit removed'),
    errors: ['org.not_found', 'billing.limit_not_found'],
    async handler({ scope, query }) {
      await deleteLimit(scope, query.limit_id)
    },
  }),
]

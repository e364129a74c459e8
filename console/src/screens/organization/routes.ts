import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

type Raw = Record<string, unknown>

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const oneOf = <Word extends string | number>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

export interface ModelsSearch {
  /** The one that is open; `new`: one to be added. */
  model_id?: string
}

const models = createRoute({
  getParentRoute: () => appRoute,
  path: '/models',
  validateSearch: ({ model_id }: Raw): ModelsSearch => ({ model_id: text(model_id) }),
  component: lateScreen(() => import('./models.tsx'), 'Models'),
})

export const USAGE_TABS = ['overview', 'ledger', 'budgets'] as const
export const USAGE_DAYS = [7, 30, 90] as const
export const USAGE_GROUPS = ['model', 'user', 'agent', 'deployment', 'api_key'] as const
export const LEDGER_KINDS = ['DEBIT', 'CREDIT', 'HOLD', 'RELEASE'] as const

export interface UsageSearch {
  tab?: (typeof USAGE_TABS)[number]
  days?: (typeof USAGE_DAYS)[number]
  by?: (typeof USAGE_GROUPS)[number]
  kind?: (typeof LEDGER_KINDS)[number]
}

const usage = createRoute({
  getParentRoute: () => appRoute,
  path: '/usage',
  validateSearch: ({ tab, days, by, kind }: Raw): UsageSearch => ({
    tab: oneOf(USAGE_TABS, tab),
    days: oneOf(USAGE_DAYS, days),
    by: oneOf(USAGE_GROUPS, by),
    kind: oneOf(LEDGER_KINDS, kind),
  }),
  component: lateScreen(() => import('./usage.tsx'), 'UsageScreen'),
})

const apiKeys = createRoute({
  getParentRoute: () => appRoute,
  path: '/api_keys',
  component: lateScreen(() => import('./api-keys.tsx'), 'ApiKeys'),
})

const webhooks = createRoute({
  getParentRoute: () => appRoute,
  path: '/webhooks',
  component: lateScreen(() => import('./webhooks.tsx'), 'Webhooks'),
})

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export interface DeliveriesSearch {
  status?: (typeof DELIVERY_STATUSES)[number]
  event_type?: string
}

const webhook = createRoute({
  getParentRoute: () => appRoute,
  path: '/webhooks/$webhookId',
  validateSearch: ({ status, event_type }: Raw): DeliveriesSearch => ({
    status: oneOf(DELIVERY_STATUSES, status),
    event_type: text(event_type),
  }),
  component: lateScreen(() => import('./webhook.tsx'), 'WebhookScreen'),
})

export interface AuditSearch {
  actor_id?: string
  action?: string
  record_type?: string
  record_id?: string
  /** Days, as 2026-01-31, both included. */
  from?: string
  to?: string
}

const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined

const audit = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit',
  validateSearch: ({ actor_id, action, record_type, record_id, from, to }: Raw): AuditSearch => ({
    actor_id: text(actor_id),
    action: text(action),
    record_type: text(record_type),
    record_id: text(record_id),
    from: day(from),
    to: day(to),
  }),
  component: lateScreen(() => import('./audit.tsx'), 'Audit'),
})

const settings = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  component: lateScreen(() => import('./settings.tsx'), 'Settings'),
})

export interface AdminSearch {
  /** The organization that is administered. Default: the one that is shown. */
  organization?: string
}

const admin = createRoute({
  getParentRoute: () => appRoute,
  path: '/admin',
  validateSearch: ({ organization }: Raw): AdminSearch => ({ organization: text(organization) }),
  component: lateScreen(() => import('./admin.tsx'), 'Admin'),
})

export const organizationRoutes = [models, usage, apiKeys, webhooks, webhook, audit, settings, admin] as const

import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import {
  type ApiKeysSearch,
  type AuditSearch,
  DELIVERY_STATUSES,
  type DeliveriesSearch,
  LEDGER_KINDS,
  type ModelsSearch,
  USAGE_DAYS,
  USAGE_GROUPS,
  USAGE_TABS,
  type UsageSearch,
} from './search-params.ts'

type Raw = Record<string, unknown>

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const oneOf = <Word extends string | number>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

const models = createRoute({
  getParentRoute: () => appRoute,
  path: '/models',
  validateSearch: ({ q, model_id }: Raw): ModelsSearch => ({ q: text(q), model_id: text(model_id) }),
  component: lateScreen(() => import('./models.tsx'), 'Models'),
})

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
  validateSearch: ({ q }: Raw): ApiKeysSearch => ({ q: text(q) }),
  component: lateScreen(() => import('./api-keys.tsx'), 'ApiKeys'),
})

const webhooks = createRoute({
  getParentRoute: () => appRoute,
  path: '/webhooks',
  component: lateScreen(() => import('./webhooks.tsx'), 'Webhooks'),
})

const webhook = createRoute({
  getParentRoute: () => appRoute,
  path: '/webhooks/$webhookId',
  validateSearch: ({ status, event_type }: Raw): DeliveriesSearch => ({
    status: oneOf(DELIVERY_STATUSES, status),
    event_type: text(event_type),
  }),
  component: lateScreen(() => import('./webhook.tsx'), 'WebhookScreen'),
})

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

export const organizationRoutes = [models, usage, apiKeys, webhooks, webhook, audit, settings] as const

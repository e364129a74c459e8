export interface ModelsSearch {
  q?: string
  /** The id of the open model. `new` opens the dialog that adds a model. */
  model_id?: string
}

export interface ApiKeysSearch {
  q?: string
}

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

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export interface DeliveriesSearch {
  status?: (typeof DELIVERY_STATUSES)[number]
  event_type?: string
}

export interface AuditSearch {
  actor_id?: string
  action?: string
  record_type?: string
  record_id?: string
  /** The first and the last day of the period, such as `2026-01-31`. */
  from?: string
  to?: string
}

export type ShowUsage = (change: UsageSearch) => void

export type ShowAudit = (change: AuditSearch) => void

import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })

/** The access matrix (access-matrix.ts) for credits, budgets and usage. */
export const BILLING: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  get_billing_balance: ['OAMGK', inOrganization],
  get_billing_ledger: ['OAMGK', inOrganization],
  get_billing_usage: ['OAMGK', inOrganization],
  put_billing_update_settings: [
    'OA',
    (fixture) => ({ ...inOrganization(fixture), body: { credits_low_threshold: 1 } }),
  ],
  get_billing_budgets_list: ['OAMGK', inOrganization],
  put_billing_budgets_set: [
    'OA',
    (fixture) => ({
      ...inOrganization(fixture),
      body: { api_key_id: fixture.apiKeyId, credits_per_month: 1 },
    }),
  ],
  delete_billing_budgets_delete: [
    'OA',
    ({ organizationId }) => ({ query: { org_id: organizationId, budget_id: crypto.randomUUID() } }),
  ],
  get_billing_limits_list: ['OAMGK', inOrganization],
  put_billing_limits_set: [
    'OA',
    (fixture) => ({
      ...inOrganization(fixture),
      body: { api_key_id: fixture.apiKeyId, requests_per_minute: 1_000 },
    }),
  ],
  delete_billing_limits_delete: [
    'OA',
    ({ organizationId }) => ({ query: { org_id: organizationId, limit_id: crypto.randomUUID() } }),
  ],
  post_billing_transfer: [
    'O',
    ({ organizationId }) => ({ body: { from_org: organizationId, to_org: organizationId, amount: 1 } }),
  ],
  post_billing_credits: [
    'S',
    ({ organizationId }) => ({ body: { organization_id: organizationId, amount: 1, reason: 'x' } }),
  ],
}

/**
 * Operations that had another address before all addresses ended with a verb. Requests to the earlier address, which the
 * API reference does not list, work like requests to the new one.
 */
export const EARLIER_ADDRESSES: Readonly<Record<string, string>> = {
  'POST /api/agent_deploy/visitor': '/api/agent_deploy/create_visitor',
  'GET /api/agent_deploy/session': '/api/agent_deploy/get_session',
  'GET /api/auth/factors': '/api/auth/factors/list',
  'PUT /api/auth/factors': '/api/auth/factors/update',
  'POST /api/auth/passkey/options': '/api/auth/passkeys/begin_sign_in',
  'POST /api/auth/passkey/sign_in': '/api/auth/passkeys/sign_in',
  'POST /api/auth/passkeys/options': '/api/auth/passkeys/begin',
  'POST /api/auth/recovery_codes': '/api/auth/recovery_codes/renew',
  'POST /api/auth/second_factor': '/api/auth/verify_second_factor',
  'GET /api/billing/budgets': '/api/billing/budgets/list',
  'PUT /api/billing/budgets': '/api/billing/budgets/set',
  'DELETE /api/billing/budgets': '/api/billing/budgets/delete',
  'GET /api/billing/limits': '/api/billing/limits/list',
  'PUT /api/billing/limits': '/api/billing/limits/set',
  'DELETE /api/billing/limits': '/api/billing/limits/delete',
  'PUT /api/billing/settings': '/api/billing/update_settings',
  'GET /api/chat/folders': '/api/chat/list_folders',
  'GET /api/kb/document': '/api/kb/get_document',
  'PUT /api/kb/chunk': '/api/kb/update_chunk',
  'GET /api/kb/evaluations/run': '/api/kb/evaluations/get_run',
  'GET /api/kb/evaluations/runs': '/api/kb/evaluations/list_runs',
  'GET /api/llm/connections': '/api/llm/connections/list',
  'POST /api/llm/connections': '/api/llm/connections/create',
  'PUT /api/llm/connections': '/api/llm/connections/update',
  'DELETE /api/llm/connections': '/api/llm/connections/delete',
  'GET /api/llm/connections/models': '/api/llm/connections/list_models',
  'GET /api/org/leave_link': '/api/org/get_leave_link',
  'POST /api/org/leave_link': '/api/org/leave_by_link',
  'PUT /api/users/status': '/api/users/update_status',
}

/** Returns the request URL with the operation's present address. `url` is below /api and may have a query. */
export function presentAddress(method: string, url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const present = EARLIER_ADDRESSES[`${method} ${path}`]
  return present === undefined ? url : present + url.slice(path.length)
}

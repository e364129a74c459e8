import type { Call, Fixture } from './access-matrix.ts'

const EVERYBODY = 'OAMGCNS'
const nothing = (): Call => ({})
/** An address without an account, so that admitted callers get 404. */
const email = () => `${crypto.randomUUID()}@example.com`

/** The access matrix (access-matrix.ts) for sessions and addresses. */
export const IDENTITY: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  get_auth_sessions: [EVERYBODY, nothing],
  delete_auth_sessions: [EVERYBODY, () => ({ query: { session_id: crypto.randomUUID() } })],
  post_auth_verify_email: [EVERYBODY, () => ({ body: { token: 'x' } })],
  post_auth_resend_verification: [EVERYBODY, nothing],
  get_org_list_all: ['S', nothing],
  get_users_list_all: ['S', nothing],
  get_installation_status: ['S', nothing],
  get_users_search: ['OAC', ({ organizationId }) => ({ query: { org_id: organizationId, q: 'x' } })],
  get_users_find: ['OAC', ({ organizationId }) => ({ query: { org_id: organizationId, email: email() } })],
}

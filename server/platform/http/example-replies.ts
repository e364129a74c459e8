import { AS_EDITOR, AS_OWNER, at, INVITED, INVITEE, id, PASSKEY, USER, WEBHOOK } from './example-values.ts'
import { isRecord } from './is-record.ts'

/** The invited colleague, signed in. */
const INVITEE_SIGNED_IN = {
  user: { ...INVITED, id: INVITEE, full_name: 'Noah Kim', organizations: [AS_EDITOR] },
}

const NEW_SOURCE = { status: 'pending', document_count: 0 }

/**
 * Fields in which the response of an operation differs from the example of its component, by method and URL. Most
 * belong to records that were just created.
 */
const REPLIES: Record<string, object> = {
  'POST /api/auth/signup': {
    user: {
      email_verified: false,
      organizations: [{ ...AS_OWNER, id: id(0x38), name: 'Ada Moreno', slug: 'ada-moreno' }],
    },
  },
  'POST /api/auth/signup_invite': INVITEE_SIGNED_IN,
  'POST /api/auth/magic_link/accept': INVITEE_SIGNED_IN,
  'POST /api/auth/totp/confirm': { factor: { last_used_at: null } },
  'POST /api/auth/passkeys/register': {
    factor: { id: PASSKEY, type: 'passkey', name: 'Laptop', last_used_at: null },
    recovery_codes: null,
  },
  'POST /api/roles/create': { member_count: 0 },
  'POST /api/api_keys/create': { last_used_at: null },
  'POST /api/chat': {
    settings: { temperature: 0.3, max_tokens: undefined, top_p: undefined },
    model_id: null,
    agent_id: null,
    pinned: false,
    folder: null,
    active_message_id: null,
    usage: { messages: 0, input_tokens: 0, output_tokens: 0, weighted_tokens: 0, credits: 0 },
    last_message_at: null,
  },
  'POST /api/kb/create': {
    status: 'pending',
    document_count: 0,
    chunk_count: 0,
    index_version: 0,
    sources: [NEW_SOURCE],
  },
  'POST /api/kb/add_source': NEW_SOURCE,
  'POST /api/kb/reindex': {
    chunking: { max_tokens: 200 },
    status: 'processing',
    sources: [{ status: 'processing' }],
  },
  'POST /api/kb/evaluations/run': { status: 'pending', metrics: null, finished_at: null },
  'POST /api/mcp/servers': { server_instance_count: 0 },
  'POST /api/billing/credits': {
    kind: 'CREDIT',
    quantity: 50_000,
    amount: 50_000,
    hold_id: null,
    model_id: null,
    user_id: null,
    agent_id: null,
    chat_id: null,
    message_id: null,
    usage: null,
    reason: 'Invoice 2026-031',
    balance_after: 298_800,
  },
  'GET /api/mcp_playground/memory': [
    {},
    { role: 'assistant', content: 'You have one event today: the tasting at 15:00.' },
  ],
  'POST /api/webhooks/test': {
    event_type: 'webhook.test',
    data: {
      webhook_id: WEBHOOK,
      requested_by: USER,
      organization_id: undefined,
      balance: undefined,
      available: undefined,
      threshold: undefined,
    },
  },
  'POST /api/webhooks/redeliver': { status: 'pending', next_attempt_at: at('09:30:00') },
}

/** Returns the example of an operation's response. Undefined if the operation uses its component's example. */
export const exampleOfReply = (operation: string, component: unknown): unknown =>
  Object.hasOwn(REPLIES, operation) ? merged(component, REPLIES[operation]) : undefined

/** Merges `own` into the example `value`, at any depth. Each item of a list is merged into the example's first item. */
function merged(value: unknown, own: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(own)) return own.map((item) => merged(value[0], item))
  if (!isRecord(value) || !isRecord(own)) return own
  return {
    ...value,
    ...Object.fromEntries(Object.entries(own).map(([key, inner]) => [key, merged(value[key], inner)])),
  }
}

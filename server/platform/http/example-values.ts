/*
 * The values of the examples in the API reference: a small company, Fernhill Coffee, with an assistant for its shop.
 * compose-example.ts looks up a value by component and field (example-records.ts), else by field.
 */

export const DAY = '2026-03-02'
export const at = (time: string): string => `${DAY}T${time}.000Z`
/** Returns a UUIDv7, as Parley generates them. */
export const id = (number: number): string =>
  `0195f3c4-8a5e-7cc3-9e0f-${number.toString(16).padStart(12, '0')}`

export const ORGANIZATION = id(0x10)
export const USER = id(0x11)
export const MODEL = id(0x12)
export const AGENT = id(0x13)
export const CHAT = id(0x14)
export const QUESTION = id(0x15)
export const REPLY = id(0x16)
export const KB = id(0x17)
export const SOURCE = id(0x18)
export const DOCUMENT = id(0x19)
export const CHUNK = id(0x1a)
export const TOOL = id(0x1b)
export const CONVERSATION = id(0x1c)
export const SESSION = id(0x1d)
export const DEPLOYMENT = id(0x1e)
export const API_KEY = id(0x1f)
/** The custom role `editor`. Ada Moreno is an `owner`. */
export const ROLE = id(0x20)
export const OWNER_ROLE = id(0x31)
export const SERVER = id(0x21)
export const CONNECTION = id(0x22)
export const WEBHOOK = id(0x23)
export const EVALUATION = id(0x24)
export const CATEGORY = id(0x25)
export const PERMISSION = id(0x2a)
export const INVITATION = id(0x29)
export const INVITEE = id(0x32)
export const PASSKEY = id(0x33)
export const OTHER_ORGANIZATION = id(0x2c)
export const COLLEAGUE = id(0x2d)
export const FACTOR = id(0x2e)
export const DELIVERY = `msg_${id(0x30)}`
export const REQUEST = id(0x3f)

/** Credentials of the examples. */
export const EMAIL = 'ada@fernhill.example'
export const PASSWORD = 'correct horse battery'
export const REFRESH_TOKEN = 'rt_6Hs2yBn0'
export const INVITATION_TOKEN = 'inv_3mRw8qFz'
export const EMAILED_TOKEN = 'ot_9Kd4Lm2x'
export const CHALLENGE = 'ch_Vb3xK9'
/** A member with the role `editor`. */
export const LENA = {
  id: COLLEAGUE,
  email: 'lena@fernhill.example',
  first_name: 'Lena',
  last_name: 'Berg',
  full_name: 'Lena Berg',
}
/** The recipient of an invitation from Ada Moreno to become an `editor`. */
export const INVITED = { email: 'noah@fernhill.example', first_name: 'Noah', last_name: 'Kim' }

export const ANSWER = 'We open at 8:00 on weekdays and at 9:00 on weekends [1].'
export const PASSAGE = 'The shop opens at 8:00 on weekdays and at 9:00 on weekends.'
export const HOURS = 'When does the shop open?'
export const CALL = {
  id: 'call_7Yt2',
  name: 'find_order',
  input: { order_number: 'FH-1042' },
}
export const FIND_ORDER = `from pyodide.http import pyfetch

async def find_order(order_number: str):
    url = f'https://shop.fernhill.example/orders/{order_number}'
    response = await pyfetch(url, headers={'X-Api-Key': config['api_key']})
    return await response.json()
`
export const ORDER = { status: 'shipped', carrier: 'DHL' }

export const EDITOR = { id: ROLE, name: 'editor', hierarchy_level: 40 }
export const EDITOR_DESCRIPTION = 'Edits agents and knowledge.'
export const EDITOR_PERMISSIONS = [
  { id: PERMISSION, name: 'kb:write', description: 'Create and change knowledge bases.' },
  { id: id(0x34), name: 'agent:write', description: 'Create and change agents.' },
]
const FERNHILL = { id: ORGANIZATION, name: 'Fernhill Coffee', slug: 'fernhill-coffee' }
export const AS_OWNER = { ...FERNHILL, role_id: OWNER_ROLE, role_name: 'owner' }
export const AS_EDITOR = { ...FERNHILL, role_id: ROLE, role_name: 'editor' }

/** The web source of the knowledge base, and its page that answers `HOURS`. */
export const HELP = { url: 'https://www.fernhill.example/help', max_pages: 50, max_depth: 2 }
export const PAGE = {
  url: 'https://www.fernhill.example/help/opening-hours',
  title: 'Opening hours',
}
export const SATURDAYS = 'Do you deliver on Saturdays?'
/** The questions of the evaluation. */
export const EVALUATED = [
  { question: HOURS, document_ids: [DOCUMENT] },
  { question: SATURDAYS, document_names: ['Delivery'] },
]

export const SOURCES = [
  {
    number: 1,
    chunk_id: CHUNK,
    document_id: DOCUMENT,
    document_name: 'Opening hours',
    kb_id: KB,
    content: PASSAGE,
    score: 0.87,
    metadata: PAGE,
    headings: ['Visit us', 'Opening hours'],
    page: null,
    position: 0,
  },
]

/** Values by field, for components that define no value of their own for the field. */
export const OF_FIELD: Record<string, unknown> = {
  access_token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTk1ZjNjNCJ9.c2lnbmF0dXJl',
  action: 'agent.updated',
  active_message_id: REPLY,
  actor_id: USER,
  actor_name: 'Ada Moreno',
  agent_id: AGENT,
  agent_name: 'Shop assistant',
  agent_type: 'chat',
  agreement: 0.6,
  all: 48.2,
  allowed_origins: ['https://www.fernhill.example'],
  amount: 5_000,
  answer: ANSWER,
  api_key: 'dk_n8Wq3vR1kTzY',
  api_key_id: API_KEY,
  api_key_name: 'Website',
  api_key_prefix: 'dk_n8Wq3vR',
  at: at('09:00:02'),
  auth_config_id: 'ac_81Jd',
  authorization_url: 'https://calendar.example.com/authorize',
  available: 248_799,
  balance: 248_800,
  balance_after: 248_800,
  base_url: 'https://api.openai.com/v1',
  below_threshold: 4,
  category_id: CATEGORY,
  challenge: CHALLENGE,
  chat_id: CHAT,
  chat_session_id: SESSION,
  chat_uploads: 20,
  chats: 7,
  chunk_count: 1,
  chunk_id: CHUNK,
  chunks: 96,
  code: '123456',
  company_name: 'Fernhill Coffee',
  content: PASSAGE,
  content_type: 'text/markdown',
  context_window: 400_000,
  conversation_id: CONVERSATION,
  count: 2,
  created: 1_772_442_000,
  created_at: at('09:00:00'),
  created_by: USER,
  credits: 1_200,
  credits_low_threshold: 100_000,
  credits_per_month: 50_000,
  credits_this_month: 1_200,
  daily_chat_limit: 500,
  daily_message_limit: 200,
  date: DAY,
  day: DAY,
  default: null,
  deleted: 1,
  dense: 31.6,
  dense_failure: null,
  deployment_id: DEPLOYMENT,
  deployment_name: 'Website',
  deployment_type: 'widget',
  description: 'For our customers.',
  disabled_reason: null,
  document_count: 24,
  document_id: DOCUMENT,
  document_ids: [DOCUMENT],
  document_name: 'Opening hours',
  document_names: ['Opening hours'],
  duplicates: 1,
  duration_ms: 184,
  email: EMAIL,
  embedding_model: 'text-embedding-3-small',
  end: 7,
  error: null,
  error_code: null,
  error_values: null,
  evaluation_id: EVALUATION,
  execution_time: 0.4,
  expires_at: '2026-04-01T09:00:00.000Z',
  expires_in: 900,
  failed: 1,
  failed_questions: 0,
  failing_since: null,
  file_upload: 1_073_741_824,
  filename: 'Price list.pdf',
  finish_reason: 'stop',
  finished_at: at('09:01:10'),
  first_name: 'Ada',
  first_rank: 1,
  flow_type: 'settings',
  folder: 'Customers',
  font_family: 'Inter, Arial',
  from: '2026-02-01',
  from_entry_id: id(0x26),
  from_org: ORGANIZATION,
  full_name: 'Ada Moreno',
  header: 'X-Api-Key',
  has_more: false,
  headings: ['Visit us', 'Opening hours'],
  held: 1,
  hierarchy_level: 100,
  hold_id: id(0x27),
  id: id(0x28),
  imported: { agents: 3, chats: 42, knowledge_bases: 1 },
  index: 0,
  index_version: 12,
  index_version_at_end: 12,
  input_ratio: 1,
  input_tokens: 820,
  inviter: 'Ada Moreno',
  invite_id: INVITATION,
  invited_at: at('08:55:00'),
  ip_address: '203.0.113.7',
  kb_id: KB,
  key: 'sk_4Zp0wX7uLmQe',
  keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k1', use: 'sig', alg: 'EdDSA', x: '11qYAYKxCrfVS_7TyWQHOg' }],
  knowledge_base_id: KB,
  knowledge_base_ids: [KB],
  language: 'en-US',
  is_archived: false,
  is_edited: false,
  is_personal: false,
  is_public: false,
  is_system_admin: false,
  is_system_role: false,
  last_active_at: at('09:20:00'),
  last_message_at: at('09:00:00'),
  last_name: 'Moreno',
  last_used_at: at('09:20:00'),
  latency_ms: 640,
  lexical: 4.8,
  ledger_entry_id: id(0x26),
  limit: 20,
  logo_url: 'https://www.fernhill.example/logo.svg',
  max_tokens: 400,
  mcp_instance_ids: [CONNECTION],
  mcp_server_id: SERVER,
  mcp_session_id: CONNECTION,
  mcp_sessions: 10,
  metadata: PAGE,
  mcp_url: `https://parley.fernhill.example/api/mcp/gateway/${CONNECTION}?session=${SESSION}&expires=1772445600&signature=9fQ2`,
  members: 2,
  message: 'Welcome to the team!',
  message_id: REPLY,
  messages: 1,
  messages_today: 38,
  milliseconds_p50: 36,
  milliseconds_p95: 40.5,
  mime_type: 'text/html',
  model: 'gpt-5-mini',
  model_id: MODEL,
  model_name: 'GPT-5 mini',
  mrr: 0.75,
  name: 'Fernhill Coffee',
  ndcg_at_10: 0.82,
  next_attempt_at: null,
  next_cursor: null,
  not_found: [],
  number: 1,
  offset: 0,
  organization_id: ORGANIZATION,
  otpauth_url: 'otpauth://totp/Parley:ada%40fernhill.example?secret=JBSWY3DPEHPK3PXP&issuer=Parley',
  output_ratio: 4,
  output_tokens: 95,
  overlap_tokens: 50,
  owner_email: EMAIL,
  page: 1,
  parent_message_id: QUESTION,
  pending: 1,
  permission_ids: EDITOR_PERMISSIONS.map((permission) => permission.id),
  permissions: ['chats:*', 'organization:read'],
  position: 0,
  prefix: 'sk_4Zp0wX7',
  primary_color: '#2f6f4f',
  progress: 0.96,
  prompt_tokens: 6,
  provider: 'openai',
  quantity: 1_200,
  question: HOURS,
  question_count: 2,
  questions: 2,
  questions_without_vectors: 0,
  ready: 22,
  reason: 'Their models do not exist here.',
  reasoning: null,
  requested_by: USER,
  recall_at_k: 1,
  record_id: AGENT,
  record_name: 'Shop assistant',
  record_type: 'agent',
  recovery_codes: [
    '7q2m-xk4d-9rtw-c8hv',
    'h3vc-p8ln-2yfj-5kzs',
    'b6tw-n4gx-u7mc-1dqr',
    'z9ka-3jhp-e5vy-w2fn',
    'm8sd-6rbt-q4xl-7gue',
    'c1pf-v9wz-8kdn-3hja',
    't5yx-2mqe-g6rb-9vsc',
    'w4ln-7fuh-x3jp-d8ka',
    'e2gr-5zct-1nmv-y6qb',
    'k7jh-s8dw-4pfx-u3te',
  ],
  recovery_codes_left: 9,
  redirect_uris: ['https://parley.fernhill.example/api/mcp/callback'],
  redirect_url: 'https://calendar.example.com/authorize?state=ms_5Gd1',
  refresh_token: REFRESH_TOKEN,
  request_id: REQUEST,
  rerank: null,
  resets_at: '2026-04-01T00:00:00.000Z',
  response_retention_days: 30,
  response_status: 204,
  require_second_factor: false,
  role_id: ROLE,
  role_name: 'editor',
  scopes: 'events.read events.write',
  score: 0.87,
  score_threshold: 0.2,
  secret: 'JBSWY3DPEHPK3PXP',
  sequence: 18,
  server_id: SERVER,
  server_instance_count: 4,
  server_name: 'Calendar',
  shared_agent_ids: [AGENT],
  size: 48_200,
  skipped: 0,
  slug: 'fernhill-coffee',
  snippet: PASSAGE,
  source_id: SOURCE,
  spent: 1_200,
  start: 3,
  started_by: 'a•••@fernhill.example',
  starter_questions: [HOURS, SATURDAYS],
  stored_bytes: 7_340_032,
  system_prompt: 'You answer questions about our coffee shop.',
  suspension: null,
  temperature: 0.3,
  title: 'Opening hours',
  to: DAY,
  to_entry_id: id(0x2b),
  to_org: OTHER_ORGANIZATION,
  token: INVITATION_TOKEN,
  token_url: 'https://calendar.example.com/token',
  threshold: 100_000,
  timestamp: at('09:00:00'),
  tokens: 18,
  tool_id: TOOL,
  toolkit_logo: 'https://calendar.example.com/logo.svg',
  toolkit_name: 'Calendar',
  toolkit_slug: 'calendar',
  tools_changed_at: at('09:10:00'),
  tools_read_at: at('09:20:00'),
  top_p: 0.9,
  total: 1,
  total_tokens: 6,
  updated_at: at('09:00:00'),
  url: 'https://www.fernhill.example/hooks/parley',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/148.0',
  user_email: EMAIL,
  user_id: USER,
  value: null,
  version: '1.0.0',
  webhook_id: WEBHOOK,
  weighted_tokens: 1_200,
  welcome_message: 'Hello! How can we help?',
  what: 'agents',
}

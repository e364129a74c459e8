import { AppError, type ErrorCode, sentence } from '#errors'

/** Values for placeholders in error messages, by placeholder. */
const VALUES: Record<string, string | number> = {
  allowed: 'GET',
  available: 48_800,
  before: 1_536,
  capability: 'text',
  connected: 'anthropic',
  count: 4,
  day: '2026-04-01',
  deployments: 'Website',
  feature: 'team_members',
  first: 'Find order',
  from: 'suspended',
  id: '0195f3c4-8a5e-7cc3-9e0f-00000000002a',
  ids: '0195f3c4-8a5e-7cc3-9e0f-000000000019',
  level: 80,
  limit: 100,
  location: 'agents.jsonl, line 3',
  max: 20,
  members: 'Ada Moreno',
  method: 'DELETE',
  minutes: 10,
  model: 'gpt-5-mini',
  model_id: '0195f3c4-8a5e-7cc3-9e0f-000000000012',
  models: 'GPT-5 mini',
  name: 'find_order',
  now: 3_072,
  organizations: 'Fernhill Coffee',
  origin: 'https://parley.fernhill.example',
  permission: 'kb:write',
  provider: 'openai',
  rate: '600 a minute from one address',
  role: 'member',
  second: 'Find parcel',
  seconds: 60,
  serverId: '0195f3c4-8a5e-7cc3-9e0f-000000000021',
  setting: 'base_url',
  status: 'suspended',
  to: 'active',
  tools: 'Find order',
  users: 'the agent Shop assistant',
  value: '0195f3c4-8a5e-7cc3-9e0f-00000000002a',
  wait: '12 seconds',
  what: 'The body',
}

/** Values for errors to which VALUES does not apply, by error code. */
const VALUES_OF: Partial<Record<ErrorCode, Record<string, string | number>>> = {
  'deployment.daily_limit': { limit: 500 },
  'openai.conversation_not_found': { value: 'conv_0195f3c4' },
  'openai.item_missing': { value: 'msg_0195f3c4' },
  'openai.item_not_found': { field: 'input.0', value: 'msg_0195f3c4' },
  'openai.model_not_found': { value: 'gpt-5-mini' },
  'openai.previous_not_found': { value: 'resp_0195f3c4' },
  'openai.response_not_found': { value: 'resp_0195f3c4' },
  'openai.parameter_refused': { field: 'logit_bias', model: 'gpt-5-mini' },
  'agent.tools_too_large': { limit: 200_000 },
  'invitation.gone': { status: 'accepted' },
  'invitation.not_pending': { status: 'accepted' },
  'request.file_too_large': { limit: 52_428_800 },
  'request.too_large': { limit: 4_194_304 },
  'request.too_many_values': { limit: 100_000 },
  'upload.encoding': { encoding: 'gbk-2' },
  'upload.image_too_large': { name: 'Menu.png', limit: 20_971_520 },
  'upload.images_too_large': { limit: 52_428_800 },
  'upload.quota': { limit: 1_073_741_824 },
  'upload.chat_full': { limit: 20 },
  'webhook.too_many': { limit: 20 },
}

const HOST = { host: 'calendar.example.com' }
/** Values for the placeholder `reason`, by error code. Most reasons are messages of the error catalogue. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  'request.malformed': sentence('request.not_json', { what: 'The body' }),
  'llm.failed': sentence('model.provider_error', { provider: 'openai', status: 500 }),
  'llm.rate_limited': sentence('model.rate_limited', { provider: 'openai' }),
  'llm.refused': sentence('model.key_refused', { provider: 'openai' }),
  'mcp.connect_failed': sentence('mcp.no_answer', { ...HOST, seconds: 30 }),
  'webhook.url_invalid': sentence('net.not_an_address'),
  'kb.source_invalid': sentence('net.not_an_address'),
  'mcp.server_invalid': sentence('net.not_an_address'),
  'deployment.config_invalid': sentence('deployment.color'),
  'kb.filter_invalid': sentence('kb.filter_key', { limit: 100 }),
  'tool.code_invalid': sentence('tool.no_function', { name: 'find_order' }),
  'tool.config_invalid': sentence('tool.twice', { name: 'Find order' }),
  'server.unavailable': sentence('document.busy'),
  'access.organization_suspended': 'Invoice 2041 is unpaid.',
  'import.damaged': sentence('import.of_a_person'),
  'import.incomplete': sentence('import.no_manifest'),
  'import.too_large': sentence('import.records', { limit: 1_000_000 }),
}
const OTHER_REASON = 'name is required.'
const ISSUES = [{ path: 'name', message: 'is required' }]

/** Returns an example of the error with this code. */
export function exampleOfError(code: ErrorCode): AppError {
  const reason = REASONS[code] ?? OTHER_REASON
  const values = { ...VALUES, reason, ...VALUES_OF[code] }
  return new AppError(code, values, code === 'request.invalid' ? { issues: ISSUES } : {})
}

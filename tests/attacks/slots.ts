import { OPERATIONS, type Operation, placesIn } from './contract.ts'

/**
 * The kinds of records that an id can name. Excludes records of the installation, such as permissions and MCP
 * servers, which belong to no tenant.
 */
export const KINDS = [
  'organization',
  'user',
  'role',
  'invitation',
  'apiKey',
  'authSession',
  'factor',
  'model',
  'modelName',
  'agent',
  'agentName',
  'chat',
  'message',
  'upload',
  'instruction',
  'conversation',
  'conversationSession',
  'kb',
  'source',
  'document',
  'chunk',
  'evaluation',
  'evaluationRun',
  'toolCategory',
  'tool',
  'deployment',
  'deploymentSession',
  'webhook',
  'delivery',
  'mcpInstance',
  'modelConnection',
  'minuteLimit',
  'budget',
] as const
export type Kind = (typeof KINDS)[number]

/** A part of a request that takes an id, such as `query.org_id` or `body.tools[].tool_id`. */
export interface Slot {
  operation: Operation
  place: string
  kind: Kind
}

/** The kind of record by the last name in a slot's path. */
const KIND_BY_NAME: Record<string, Kind | 'installation'> = {
  org_id: 'organization',
  organization_id: 'organization',
  from_org: 'organization',
  to_org: 'organization',
  user_id: 'user',
  actor_id: 'user',
  role_id: 'role',
  role: 'role',
  permission_id: 'installation',
  permission_ids: 'installation',
  server_id: 'installation',
  mcp_server_id: 'installation',
  invitation_id: 'invitation',
  api_key_id: 'apiKey',
  factor_id: 'factor',
  model_id: 'model',
  organization_model_id: 'model',
  own_model_id: 'model',
  agent_id: 'agent',
  shared_agent_ids: 'agent',
  chat_id: 'chat',
  chat_ids: 'chat',
  message_id: 'message',
  parent_message_id: 'message',
  active_message_id: 'message',
  upload_id: 'upload',
  file_uploads: 'upload',
  instruction_id: 'instruction',
  conversation_id: 'conversation',
  chat_session_id: 'conversationSession',
  kb_id: 'kb',
  knowledge_base_ids: 'kb',
  source_id: 'source',
  document_id: 'document',
  document_ids: 'document',
  chunk_id: 'chunk',
  evaluation_id: 'evaluation',
  run_id: 'evaluationRun',
  category_id: 'toolCategory',
  tool_id: 'tool',
  deployment_id: 'deployment',
  webhook_id: 'webhook',
  mcp_instance_id: 'mcpInstance',
  mcp_instance_ids: 'mcpInstance',
  mcp_session_id: 'mcpInstance',
  connection_id: 'modelConnection',
  budget_id: 'budget',
  limit_id: 'minuteLimit',
}

/**
 * Slots whose name has another meaning than in KIND_BY_NAME, and slots that openapi.json doesn't describe as UUIDs.
 */
const SPECIAL: Record<string, Record<string, Kind>> = {
  delete_chat_delete_session: { 'query.session_id': 'chat' },
  delete_auth_sessions: { 'query.session_id': 'authSession' },
  post_mcp_generate_url: { 'body.session_id': 'mcpInstance' },
  post_agent_deploy_chat: { 'body.session_id': 'deploymentSession' },
  get_agent_deploy_get_session: { 'query.session_id': 'deploymentSession' },
  get_agent_deploy_stream: { 'query.session_id': 'deploymentSession' },
  post_agent_deploy_stop: { 'query.session_id': 'deploymentSession' },
  post_webhooks_redeliver: { 'query.delivery_id': 'delivery' },
  get_audit_list: { 'query.record_id': 'chat' },
  post_kb_create: { 'body.embedding_model': 'model', 'body.sources[].config.upload_ids[]': 'upload' },
  post_kb_add_source: { 'body.config.upload_ids[]': 'upload' },
  post_kb_query: { 'body.model': 'model' },
  post_kb_search: { 'body.rerank': 'model', 'body.filter.document_id': 'document' },
  post_kb_evaluations_run: { 'body.rerank': 'model' },
  post_openai_v1_chat_completions: { 'body.model': 'model' },
  post_openai_v1_completions: { 'body.model': 'model' },
  post_openai_v1_audio_speech: { 'body.model': 'model' },
  post_openai_v1_responses: { 'body.model': 'agent' },
  post_openai_v1_embeddings: { 'body.model': 'model' },
  post_openai_v1_images_generations: { 'body.model': 'model' },
  post_anthropic_v1_messages: { 'body.model': 'model' },
  post_anthropic_v1_messages_count_tokens: { 'body.model': 'agent' },
}
/** Slots that also accept a name, and the kind of that name. */
const BY_NAME: Record<string, Record<string, Kind>> = {
  post_kb_query: { 'body.model': 'modelName' },
  post_openai_v1_chat_completions: { 'body.model': 'modelName' },
  post_openai_v1_responses: { 'body.model': 'agentName' },
  post_anthropic_v1_messages: { 'body.model': 'modelName' },
}

/** Returns all slots of openapi.json, and the paths of ids whose kind is unknown. */
export function findSlots(): { slots: Slot[]; unknown: string[] } {
  const slots: Slot[] = []
  const unknown: string[] = []
  for (const operation of OPERATIONS) {
    const special = SPECIAL[operation.id] ?? {}
    for (const place of idPlaces(operation)) {
      const name = place.replaceAll('[]', '').split('.').at(-1) ?? ''
      const kind = special[place] ?? KIND_BY_NAME[name]
      if (kind === undefined) unknown.push(`${operation.id} ${place}`)
      else if (kind !== 'installation') slots.push({ operation, place, kind })
    }
    for (const [place, kind] of Object.entries(special))
      if (!slots.some((slot) => slot.operation === operation && slot.place === place))
        slots.push({ operation, place, kind })
    for (const [place, kind] of Object.entries(BY_NAME[operation.id] ?? {}))
      slots.push({ operation, place, kind })
  }
  return { slots, unknown }
}

function idPlaces({ parameters, body }: Operation): string[] {
  const inQuery = parameters
    .filter(({ in: where, schema }) => where !== 'header' && schema.format === 'uuid')
    .map(({ in: where, name }) => `${where}.${name}`)
  const inBody = (body ? placesIn(body) : [])
    .filter(({ schema }) => schema.format === 'uuid')
    .map(({ path }) => `body.${path}`)
  return [...new Set([...inQuery, ...inBody])]
}

import { newId } from '#database/new-id.ts'
import type { ModelConfig } from '#database/schema/llm.ts'
import { fail } from '#errors'
import { checkConfig, newKey } from '../agent-deploy/index.ts'
import { checkStoredSource, chooseChunking, hashOf } from '../kb/index.ts'
import { checkTool, NO_CONFIG, sealConfig } from '../tools/index.ts'
import { checkUrl, newSecret } from '../webhooks/index.ts'
import { chatRows, messageRows } from './import-chats.ts'
import type { ImportedConcept, LineOf } from './import-schemas.ts'
import type { NewRows } from './import-tables-system.ts'
import { type Importing, NOWHERE, OF_OTHERS } from './importing.ts'

/**
 * Maximum number of imported tools. Limited because each tool is loaded in the sandbox, one after another.
 * @limit imported tools
 */
const TOOLS_MAX = 200
/**
 * Maximum number of webhooks per organization. The limit in webhooks/manage-webhooks.ts is the same.
 * @limit imported webhooks
 */
const WEBHOOKS_MAX = 20
const LOCAL = 'local'
const NEED_NO_KEY = ['demo', 'route']
const CHANGED = 'imported, but '

/**
 * Converts a line to rows. To leave the line out, returns null after passing the reason to `leaveOut`, or throws an
 * error for which `isLeftOut` is true.
 */
export type RowsOf<C extends ImportedConcept> = (
  line: LineOf<C>,
  importing: Importing,
) => NewRows | null | Promise<NewRows | null>

/**
 * Converters by concept, in the order of import. A concept follows the concepts that it refers to. Files are imported
 * before messages.
 */
export const ROWS_OF: { [C in Exclude<ImportedConcept, 'files'>]: RowsOf<C> } = {
  roles(line, importing) {
    if (line.is_system_role) return null
    const { id, name, description, hierarchy_level } = line
    const known = [...new Set(line.permissions)].flatMap((one) => importing.permissions.get(one) ?? [])
    if (known.length < line.permissions.length)
      importing.leaveOut('permissions of roles', 'they do not exist on this server')
    const role = { ...importing.made(line), name, description, hierarchy_level }
    return {
      roles: [role],
      role_permissions: known.map((permission_id) => ({ role_id: importing.idOf(id), permission_id })),
    }
  },
  models(line, importing) {
    const { name, provider, version, config = {} } = line
    const { api_key: _key, connection_id: _connection, ...settings } = config
    const isActive = line.is_active && NEED_NO_KEY.includes(provider)
    if (line.is_active && !isActive)
      importing.leaveOut('keys of models', `${CHANGED}inactive: set the key of each and activate it`)
    return {
      llm_models: [
        {
          ...importing.made(line),
          name,
          provider,
          version,
          is_active: isActive,
          config: withMembers(settings, importing),
        },
      ],
    }
  },
  tool_categories: (line, importing) => ({
    tool_categories: [{ ...importing.made(line), name: line.name, description: line.description }],
  }),
  async tools(line, importing) {
    if (!importing.has('tool_categories', line.category_id)) return importing.leaveOut('tools', NOWHERE)
    if (importing.countOf('tools') >= TOOLS_MAX)
      return importing.leaveOut('tools', `only ${TOOLS_MAX} are imported`)
    const { logoUrl, ...tool } = await checkTool(importing.services, importing.organizationId, line)
    const made = { ...importing.made(line), category_id: importing.idOf(line.category_id) }
    return { tools: [{ ...made, ...tool, logo_url: logoUrl, is_active: line.is_active ?? true }] }
  },
  knowledge_bases(line, importing) {
    if (line.embedding_model !== LOCAL)
      importing.leaveOut(
        'embedding models of knowledge bases',
        `${CHANGED}indexed with the built-in model: reindex them with a model of this server`,
      )
    const { name, description } = line
    const chunking = chooseChunking(line.chunking)
    return {
      knowledge_bases: [{ ...importing.made(line), name, description, embedding_model: LOCAL, chunking }],
    }
  },
  kb_sources(line, importing) {
    if (!importing.has('knowledge_bases', line.kb_id)) return importing.leaveOut('kb_sources', NOWHERE)
    const { type, status, error } = line
    const config = checkStoredSource(importing.services.net, { type, config: line.config })
    const isUnread = status === 'pending' || status === 'reading'
    return {
      kb_sources: [
        {
          ...importing.made(line),
          kb_id: importing.idOf(line.kb_id),
          type,
          config:
            type === 'file' ? { upload_ids: importing.idsOf(config['upload_ids'] as string[]) } : config,
          status: isUnread ? 'failed' : status,
          error: isUnread ? 'It was not read before the export. Refresh its source.' : error,
        },
      ],
    }
  },
  kb_documents: documentRows,
  kb_evaluations(line, importing) {
    if (!importing.has('knowledge_bases', line.kb_id)) return importing.leaveOut('kb_evaluations', NOWHERE)
    const questions = line.questions.map(({ document_ids: ids, ...question }) => ({
      ...question,
      ...(ids && { document_ids: importing.idsOf(ids) }),
    }))
    const kb_id = importing.idOf(line.kb_id)
    return { kb_evaluations: [{ ...importing.made(line), kb_id, name: line.name, questions }] }
  },
  agents: agentRows,
  deployments(line, importing) {
    if (!importing.has('agents', line.agent_id)) return importing.leaveOut('deployments', NOWHERE)
    const { name, description, deployment_type: type } = line
    const { keyHash, apiKeyPrefix } = newKey()
    importing.leaveOut('keys of deployments', `${CHANGED}paused: regenerate the key of each and activate it`)
    return {
      agent_deployments: [
        {
          ...importing.made(line),
          agent_id: importing.idOf(line.agent_id),
          visitor_user_id: newId(),
          name,
          description,
          deployment_type: type,
          config: checkConfig(type, line.config),
          status: 'paused',
          key_hash: keyHash,
          api_key_prefix: apiKeyPrefix,
        },
      ],
    }
  },
  webhooks(line, importing) {
    if (importing.countOf('webhooks') >= WEBHOOKS_MAX) throw fail('webhook.too_many', { limit: WEBHOOKS_MAX })
    const { url, description, event_types } = line
    const { net, secrets } = importing.services
    checkUrl(net, url)
    importing.leaveOut('secrets of webhooks', `${CHANGED}disabled: rotate the secret of each and enable it`)
    const made = importing.made(line)
    const secret = secrets.encrypt(newSecret(), made.id)
    return { webhook_endpoints: [{ ...made, url, description, event_types, is_enabled: false, secret }] }
  },
  instructions(line, importing) {
    if (!importing.isOwn(line)) return importing.leaveOut('instructions', OF_OTHERS)
    return { instructions: [{ ...importing.owned(line), name: line.name, content: line.content }] }
  },
  chats: chatRows,
  conversations(line, importing) {
    if (!importing.isOwn(line)) return importing.leaveOut('conversations', OF_OTHERS)
    if (!importing.has('chats', line.id)) return importing.leaveOut('conversations', NOWHERE)
    const { title, is_archived } = line
    return { conversations: [{ ...importing.owned(line), title, is_archived }] }
  },
  conversation_sessions(line, importing) {
    if (!importing.isOwn(line)) return importing.leaveOut('conversation_sessions', OF_OTHERS)
    const model_id = importing.modelOf(line.model_id)
    if (model_id === null || !importing.has('conversations', line.conversation_id))
      return importing.leaveOut('conversation_sessions', NOWHERE)
    const conversation_id = importing.idOf(line.conversation_id)
    return {
      conversation_sessions: [{ ...importing.owned(line), conversation_id, model_id, status: line.status }],
    }
  },
  messages: messageRows,
}

function documentRows(line: LineOf<'kb_documents'>, importing: Importing): NewRows | null {
  if (!importing.has('kb_sources', line.source_id)) return importing.leaveOut('kb_documents', NOWHERE)
  const { text, name, mime_type, size, metadata, error } = line
  const parent = { organization_id: importing.organizationId, kb_id: importing.idOf(line.kb_id) }
  const { created_by: _by, ...made } = importing.made(line)
  const document = {
    ...made,
    ...parent,
    source_id: importing.idOf(line.source_id),
    // The key of an uploaded document is the id of its upload, which the import changes.
    key: importing.idOrWord(line.key),
    name,
    mime_type,
    size,
    metadata,
    status: text === null ? 'failed' : 'pending',
    error: text === null ? error : null,
    content_hash: text === null ? null : hashOf(text),
    text_kind: text === null ? null : (line.text_kind ?? 'plain'),
    text_bytes: Buffer.byteLength(text ?? ''),
    stored_bytes: Buffer.byteLength(text ?? ''),
    found_by: 0,
  }
  return {
    kb_documents: [document],
    ...(text !== null && { kb_texts: [{ ...parent, document_id: made.id, text }] }),
  }
}

/** Maps the members of a route, which may follow the route in the export. */
function withMembers(config: ModelConfig, importing: Importing): ModelConfig {
  if (!config.route) return config
  const members = config.route.members.map((member) => {
    const { model_id: id } = member
    return { ...member, model_id: importing.modelOf(id) ?? importing.idOf(id) }
  })
  return { ...config, route: { ...config.route, members } }
}

function agentRows(line: LineOf<'agents'>, importing: Importing): NewRows | null {
  const { name, description, agent_type, params, is_active } = line
  const model_id = importing.modelOf(line.model_id)
  if (model_id === null) return importing.leaveOut('agents', 'their models were not imported')
  const toolIds = new Set(line.tool_ids.filter((id) => importing.has('tools', id)))
  const kbIds = new Set(line.knowledge_base_ids.filter((id) => importing.has('knowledge_bases', id)))
  if (toolIds.size + kbIds.size < line.tool_ids.length + line.knowledge_base_ids.length)
    importing.leaveOut(
      'tools and knowledge bases of agents',
      'they were not imported, or belong to another organization',
    )
  if (toolIds.size > 0)
    importing.leaveOut('configurations of the tools of agents', 'exports do not contain them: set them again')
  const made = importing.made(line)
  const { organizationId: organization_id } = importing
  const parent = { organization_id, agent_id: made.id }
  const { secrets } = importing.services
  return {
    agents: [{ ...made, name, description, agent_type, model_id, params, is_active }],
    agent_tools: importing.idsOf([...toolIds]).map((tool_id, position) => ({
      ...parent,
      tool_id,
      position,
      config: sealConfig(secrets, made.id, tool_id, NO_CONFIG),
    })),
    agent_knowledge_bases: importing
      .idsOf([...kbIds])
      .map((kb_id, position) => ({ ...parent, kb_id, position })),
  }
}

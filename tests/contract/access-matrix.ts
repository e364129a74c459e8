/*
 * The access matrix: each operation of openapi.json that needs a token has a line with the callers it admits and a
 * valid call. coverage.test.ts tries all callers, and fails for an operation without a line.
 */

import { CLIENTS } from './access-of-clients.ts'
import { BILLING } from './access-to-billing.ts'
import { DATA_RIGHTS } from './access-to-data-rights.ts'
import { FACTORS } from './access-to-factors.ts'
import { IDENTITY } from './access-to-identity.ts'
import { MCP } from './access-to-mcp.ts'
import { MODELS } from './access-to-models.ts'
import { WEBHOOKS } from './access-to-webhooks.ts'

/** The records of one organization, all created by its owner. */
export interface Fixture {
  organizationId: string
  chatId: string
  modelId: string
  instructionId: string
  conversationId: string
  sessionId: string
  /** A user with the member role. */
  memberId: string
  /** A custom role without members. */
  roleId: string
  permissionId: string
  invitationId: string
  apiKeyId: string
  kbId: string
  kbEvaluationId: string
  toolCategoryId: string
  toolId: string
  agentId: string
  deploymentId: string
  mcpServerId: string
  mcpInstanceId: string
  webhookId: string
  modelConnectionId: string
}

/**
 * O, A, M, G: the four system roles. C: a custom role of level 50 with chats:read and users:write. K: the owner's API
 * key with chats:read and organization:read. N: signed in, no membership. S: the system administrator, no membership.
 */
export const PEOPLE = ['O', 'A', 'M', 'G', 'C', 'K', 'N', 'S'] as const
export type Somebody = (typeof PEOPLE)[number]
export const CUSTOM_ROLE = { hierarchy_level: 50, permissions: ['chats:read', 'users:write'] }
export const KEY_PERMISSIONS = ['chats:read', 'organization:read']

export interface Call {
  query?: Record<string, string>
  body?: unknown
}

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const oneChat = ({ organizationId, chatId }: Fixture): Call => ({
  query: { org_id: organizationId, chat_id: chatId },
})
const oneInstruction = ({ instructionId }: Fixture): Call => ({ query: { instruction_id: instructionId } })
const oneConversation = ({ organizationId, conversationId }: Fixture): Call => ({
  query: { org_id: organizationId, conversation_id: conversationId },
})
const oneInvitation = ({ invitationId }: Fixture): Call => ({ query: { invitation_id: invitationId } })
const oneMember = ({ organizationId, memberId }: Fixture): Call => ({
  query: { org_id: organizationId, user_id: memberId },
})
const oneRole = ({ organizationId, roleId }: Fixture): Call => ({
  query: { org_id: organizationId, role_id: roleId },
})
const oneKb = ({ kbId }: Fixture): Call => ({ query: { kb_id: kbId } })
const ofKb =
  (name: string) =>
  ({ kbId }: Fixture): Call => ({ query: { kb_id: kbId, [name]: crypto.randomUUID() } })
const oneDeployment = ({ deploymentId }: Fixture): Call => ({ query: { deployment_id: deploymentId } })
const oneSession = (): Call => ({ query: { session_id: crypto.randomUUID() } })
const oneEvaluation = ({ kbId, kbEvaluationId }: Fixture): Call => ({
  query: { kb_id: kbId, evaluation_id: kbEvaluationId },
})
const oneTool = ({ toolId }: Fixture): Call => ({ query: { tool_id: toolId } })
const oneToolOf = ({ organizationId, toolId }: Fixture): Call => ({
  query: { org_id: organizationId, tool_id: toolId },
})
const oneCategory = ({ organizationId, toolCategoryId }: Fixture): Call => ({
  query: { org_id: organizationId, category_id: toolCategoryId },
})
const oneAgent = ({ agentId }: Fixture): Call => ({ query: { agent_id: agentId } })
const oneMcpServer = ({ mcpServerId }: Fixture): Call => ({ query: { server_id: mcpServerId } })
const MCP_SERVER = { name: 's', toolkit_name: 's', description: '', url: 'https://mcp.example.com/mcp' }
const nothing = (): Call => ({})
const withBody =
  (call: (fixture: Fixture) => Call, body: (fixture: Fixture) => unknown) =>
  (fixture: Fixture): Call => ({ ...call(fixture), body: body(fixture) })

const email = () => `${crypto.randomUUID()}@example.com`

const EVERYBODY = 'OAMGCNS'
const EVERYBODY_AND_KEY = 'OAMGCKNS'
const READERS_OF_CHATS = 'OAMGCK'

/** For each operation: the admitted callers, and a call on the records of a fixture. */
export const MATRIX: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  ...IDENTITY,

  ...FACTORS,
  ...DATA_RIGHTS,
  get_org_list: [EVERYBODY_AND_KEY, nothing],
  post_org_create_org: [EVERYBODY, () => ({ query: { name: crypto.randomUUID() } })],
  put_org_update: ['OA', withBody(inOrganization, () => ({ name: crypto.randomUUID() }))],
  post_org_add_member: [
    'OAC',
    ({ organizationId, memberId, roleId }) => ({
      body: { organization_id: organizationId, user_id: memberId, role_id: roleId },
    }),
  ],
  post_org_leave: ['OAMGC', inOrganization],
  post_org_transfer_ownership: ['O', withBody(inOrganization, ({ memberId }) => ({ user_id: memberId }))],
  get_org_features: ['OAMGKS', inOrganization],
  post_org_suspend: ['S', withBody(inOrganization, () => ({ reason: 'x' }))],
  post_org_lift_suspension: ['S', inOrganization],
  put_org_features: ['S', withBody(inOrganization, () => ({ chat_uploads: 3 }))],

  get_users_me: [EVERYBODY_AND_KEY, nothing],
  put_users_me: [EVERYBODY, () => ({ body: { first_name: 'Ada' } })],
  get_users_list: ['OAMG', inOrganization],
  post_users_invite: [
    'OA',
    withBody(inOrganization, ({ roleId }) => ({
      email: email(),
      first_name: 'X',
      last_name: 'Y',
      role: roleId,
    })),
  ],
  put_users_update: ['O', withBody(oneMember, ({ roleId }) => ({ role_id: roleId }))],
  put_users_update_status: ['OA', withBody(oneMember, () => ({ status: 'suspended' }))],
  delete_users_remove: ['OA', oneMember],

  post_roles_create: [
    'OA',
    withBody(inOrganization, ({ permissionId }) => ({
      name: crypto.randomUUID(),
      hierarchy_level: 5,
      permission_ids: [permissionId],
    })),
  ],
  put_roles_update: ['OA', withBody(oneRole, () => ({ description: 'x' }))],
  delete_roles_remove: ['OA', oneRole],
  get_roles_list_roles: ['OAMG', inOrganization],
  post_roles_permission: [
    'S',
    () => ({ body: { name: `r${crypto.randomUUID().replaceAll('-', '')}:read` } }),
  ],
  delete_roles_permission: ['S', ({ permissionId }) => ({ query: { permission_id: permissionId } })],
  get_roles_list_permissions: [EVERYBODY_AND_KEY, nothing],

  post_invitations_create: [
    'OA',
    withBody(inOrganization, ({ roleId }) => ({ email: email(), role_id: roleId })),
  ],
  post_invitations_bulk_create: [
    'OA',
    withBody(inOrganization, ({ roleId }) => ({ invitations: [{ email: email(), role_id: roleId }] })),
  ],
  get_invitations_list: ['OA', inOrganization],
  get_invitations_get: ['OA', oneInvitation],
  post_invitations_resend: ['OA', oneInvitation],
  delete_invitations_revoke: ['OA', oneInvitation],

  post_api_keys_create: [
    'OA',
    withBody(inOrganization, () => ({ name: 'x', permissions: ['organization:read'] })),
  ],
  get_api_keys_list: ['OA', inOrganization],
  delete_api_keys_delete: ['OA', ({ apiKeyId }) => ({ query: { api_key_id: apiKeyId } })],
  get_audit_list: ['OA', inOrganization],

  post_agent_deploy_create: [
    'OA',
    withBody(inOrganization, ({ agentId }) => ({
      agent_id: agentId,
      name: 'd',
      description: '',
      deployment_type: 'api',
      config: {},
    })),
  ],
  get_agent_deploy_list: ['OAMG', inOrganization],
  get_agent_deploy_get: ['OAMG', oneDeployment],
  put_agent_deploy_update: ['OA', withBody(oneDeployment, () => ({ status: 'paused' }))],
  delete_agent_deploy_delete: ['OA', oneDeployment],
  post_agent_deploy_regenerate_key: ['OA', oneDeployment],
  get_agent_deploy_usage: ['OAMG', oneDeployment],
  // Open only to deployment keys and visitor tokens, which none of PEOPLE has.
  post_agent_deploy_chat: ['', () => ({ body: { content: 'Hi' } })],
  get_agent_deploy_get_session: ['', oneSession],
  get_agent_deploy_stream: ['', oneSession],
  post_agent_deploy_stop: ['', oneSession],
  ...MODELS,

  get_mcp_list_servers: ['OAMG', inOrganization],
  get_mcp_server_with_tools: [
    'OAMG',
    ({ organizationId, mcpServerId }) => ({ query: { org_id: organizationId, server_id: mcpServerId } }),
  ],
  post_mcp_servers: ['S', () => ({ body: { ...MCP_SERVER, toolkit_slug: crypto.randomUUID() } })],
  put_mcp_servers: ['S', withBody(oneMcpServer, () => ({ description: 'x' }))],
  delete_mcp_servers: ['S', oneMcpServer],

  post_chat: ['OAM', withBody(inOrganization, () => ({}))],
  get_chat: [READERS_OF_CHATS, oneChat],
  get_chat_export: [READERS_OF_CHATS, oneChat],
  get_chat_list: [READERS_OF_CHATS, inOrganization],
  get_chat_search: [
    READERS_OF_CHATS,
    ({ organizationId }) => ({ query: { org_id: organizationId, q: 'word' } }),
  ],
  put_chat: ['OAM', withBody(oneChat, () => ({ title: 'x' }))],
  delete_chat_delete_session: ['OAM', ({ chatId }) => ({ query: { session_id: chatId } })],
  post_chat_bulk_delete_sessions: [EVERYBODY, ({ chatId }) => ({ body: { chat_ids: [chatId] } })],
  post_chat_send_message: [
    'OAM',
    ({ organizationId, modelId, chatId }) => ({
      query: { org_id: organizationId, model_id: modelId, chat_id: chatId },
      body: { content: 'Hi' },
    }),
  ],
  post_chat_regenerate: [
    'OAM',
    ({ organizationId, chatId, modelId }) => ({
      query: { org_id: organizationId, chat_id: chatId, message_id: modelId },
      body: {},
    }),
  ],
  post_chat_prompt: ['OAM', withBody(inOrganization, () => ({ text: 'x' }))],
  post_chat_upload_file: ['OAM', oneChat],
  delete_chat_delete_upload: [
    'OAM',
    ({ organizationId, chatId }) => ({ query: { org_id: organizationId, upload_id: chatId } }),
  ],
  post_chat_transcribe: ['OAM', inOrganization],
  get_chat_available_knowledge_bases: [READERS_OF_CHATS, inOrganization],
  get_chat_list_folders: [READERS_OF_CHATS, inOrganization],
  post_chat_stop: ['OAM', oneChat],
  get_chat_stream: [READERS_OF_CHATS, oneChat],
  post_conversation_create: ['OAM', withBody(inOrganization, () => ({ title: 'x' }))],
  post_conversation_create_session: [
    'OAM',
    withBody(inOrganization, ({ conversationId, modelId }) => ({
      conversation_id: conversationId,
      model_id: modelId,
    })),
  ],
  post_conversation_stream_chat: [
    'OAM',
    withBody(inOrganization, ({ sessionId }) => ({ chat_session_id: sessionId, message: 'Hi' })),
  ],
  post_conversation_stop: ['OAM', oneConversation],
  get_conversation_list: ['OAMG', inOrganization],
  get_conversation_get_with_sessions: ['OAMG', oneConversation],
  get_conversation_messages: ['OAMG', oneConversation],
  put_conversation_update: ['OAM', withBody(oneConversation, () => ({ title: 'y' }))],
  delete_conversation_delete: ['OAM', oneConversation],
  post_instructions_create: [
    'OAM',
    withBody(inOrganization, () => ({ name: crypto.randomUUID(), content: 'y' })),
  ],
  get_instructions_list: [READERS_OF_CHATS, inOrganization],
  get_instructions_get: [READERS_OF_CHATS, oneInstruction],
  put_instructions_update: ['OAM', withBody(oneInstruction, () => ({ content: 'z' }))],
  delete_instructions_delete: ['OAM', oneInstruction],

  post_kb_create: [
    'OAM',
    withBody(inOrganization, () => ({
      name: crypto.randomUUID(),
      description: '',
      embedding_model: 'local',
      sources: [],
    })),
  ],
  get_kb_list: ['OAMG', inOrganization],
  get_kb_get: ['OAMG', oneKb],
  put_kb_update: ['OAM', withBody(oneKb, () => ({ description: 'x' }))],
  delete_kb_delete: ['OA', oneKb],
  post_kb_add_source: ['OAM', withBody(oneKb, () => ({ type: 'text', config: { name: 'x', content: 'y' } }))],
  delete_kb_delete_source: ['OA', ofKb('source_id')],
  post_kb_upload_file: ['OAM', oneKb],
  get_kb_list_documents: ['OAMG', oneKb],
  get_kb_get_document: ['OAMG', ofKb('document_id')],
  delete_kb_delete_document: ['OA', ofKb('document_id')],
  put_kb_update_chunk: ['OAM', withBody(ofKb('chunk_id'), () => ({ is_enabled: false }))],
  post_kb_reindex: ['OAM', withBody(oneKb, () => ({}))],
  get_kb_ingestion_status: ['OAMG', oneKb],
  post_kb_search: ['OAMG', withBody(oneKb, () => ({ query: 'x' }))],
  post_kb_query: [
    'OAMG',
    ({ kbId, modelId }) => ({ query: { kb_id: kbId }, body: { query: 'When?', model: modelId } }),
  ],
  post_kb_evaluations_create: [
    'OAM',
    withBody(oneKb, () => ({ name: 'x', questions: [{ question: 'y', document_names: ['z'] }] })),
  ],
  get_kb_evaluations_list: ['OAMG', oneKb],
  get_kb_evaluations_get: ['OAMG', oneEvaluation],
  delete_kb_evaluations_delete: ['OA', oneEvaluation],
  post_kb_evaluations_run: ['OAM', withBody(oneEvaluation, () => ({}))],
  get_kb_evaluations_list_runs: ['OAMG', oneEvaluation],
  get_kb_evaluations_get_run: ['OAMG', ofKb('run_id')],

  get_tools_list_categories: [EVERYBODY_AND_KEY, nothing],
  post_tools_create_category: [
    'OA',
    withBody(inOrganization, () => ({ name: crypto.randomUUID(), description: '' })),
  ],
  put_tools_update_category: ['OA', withBody(oneCategory, () => ({ description: 'x' }))],
  delete_tools_delete_category: ['OA', oneCategory],
  post_tools: [
    'OA',
    withBody(inOrganization, ({ toolCategoryId }) => ({
      name: crypto.randomUUID(),
      description: '',
      category_id: toolCategoryId,
      version: '1',
      configuration: [],
      inputs: [],
      outputs: { type: 'str', description: '' },
      settings: {
        function_info: { name: 'f', code: 'export const f = () => 1' },
        deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
      },
    })),
  ],
  put_tools: ['OA', withBody(oneToolOf, () => ({ version: '2' }))],
  get_tools: ['OAMG', oneTool],
  get_tools_list_all: [EVERYBODY_AND_KEY, nothing],
  delete_tools: ['OA', oneToolOf],
  post_tools_test_tool: [
    'OAM',
    withBody(oneTool, () => ({
      input_prompt: 'Hi',
      config_items: [],
      provider: 'demo',
      model_name: 'parley-demo',
      api_key: 'x',
    })),
  ],
  post_agents: [
    'OA',
    ({ organizationId, modelId }) => ({
      query: { org_id: organizationId },
      body: { name: crypto.randomUUID(), description: '', agent_type: 'chat', model_id: modelId, params: {} },
    }),
  ],
  get_agents_list: ['OAMG', inOrganization],
  get_agents_get: ['OAMG', oneAgent],
  put_agents_update: ['OA', withBody(oneAgent, () => ({ description: 'x' }))],
  delete_agents_delete: ['OA', oneAgent],
  ...CLIENTS,
  ...WEBHOOKS,
  ...BILLING,
  ...MCP,
}

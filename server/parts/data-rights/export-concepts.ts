/** What one file of an export holds: rows of a table, and what is told of each. Nothing is told that is not named. */
export interface Concept {
  /** `{name}.jsonl` */
  name: string
  table: string
  /** Columns as they are, parted by white space; those that end in `_at` become times of the API. */
  columns: string
  /** Further values, in SQL, of a row `t`. */
  computed?: Record<string, string>
  /** What orders the rows and never changes, with types. Default: the id. */
  key?: readonly (readonly [column: string, type: string])[]
  /** The table whose rows these belong to, and the column that says so, where they have no order of their own. */
  within?: { table: string; column: string }
  where?: string
  /** So many rows are in memory at once. Default: ROWS_DEFAULT. */
  rowsMax?: number
  /** Told of a person too: rows with a user_id. */
  isPersonal?: true
}

export const ROWS_DEFAULT = 500
/** Rows that hold a text each. */
const ROWS_WITH_TEXT = 100
/** Rows that may hold megabytes each. */
const ROWS_LARGE = 2

const TIMES = 'created_at updated_at'
const OWNER = 'id organization_id user_id'
const MAKER = 'id organization_id created_by'

/** Empty for a member who was added and has not opened the organization (platform/access/visible-members.ts). */
const shownOnceOpened = (column: string): string =>
  `(select case when t.opened_at is null then '' else ${column} end from users where id = t.user_id)`

/** The files of an export, in the order in which they are written: what is referred to comes first. */
export const CONCEPTS: readonly Concept[] = [
  {
    name: 'members',
    table: 'memberships',
    columns: `organization_id user_id role_id status ${TIMES}`,
    computed: {
      email: shownOnceOpened('email'),
      first_name: shownOnceOpened('first_name'),
      last_name: shownOnceOpened('last_name'),
      role: '(select name from roles where id = t.role_id)',
    },
    key: [['user_id', 'uuid']],
    where: `status <> 'deleted'`,
    isPersonal: true,
  },
  {
    name: 'roles',
    table: 'roles',
    columns: `id name description hierarchy_level is_system_role ${TIMES}`,
    computed: {
      permissions: `(select coalesce(json_agg(p.name order by p.name), '[]') from role_permissions rp
        join permissions p on p.id = rp.permission_id where rp.role_id = t.id)`,
    },
  },
  {
    name: 'invitations',
    table: 'invitations',
    columns: `id email role_id message status invited_by expires_at ${TIMES}`,
  },
  {
    name: 'models',
    table: 'llm_models',
    columns: `${MAKER} name provider version is_active config ${TIMES}`,
  },
  {
    name: 'tool_categories',
    table: 'tool_categories',
    columns: `${MAKER} name description ${TIMES}`,
  },
  {
    name: 'tools',
    table: 'tools',
    columns: `
      ${MAKER} category_id name description version is_active is_public logo_url configuration inputs outputs
      settings functions ${TIMES}`,
    rowsMax: ROWS_WITH_TEXT,
  },
  {
    name: 'knowledge_bases',
    table: 'knowledge_bases',
    columns: `${MAKER} name description embedding_model chunking languages ${TIMES}`,
  },
  {
    name: 'kb_sources',
    table: 'kb_sources',
    columns: `${MAKER} kb_id type config status error ${TIMES}`,
    within: { table: 'knowledge_bases', column: 'kb_id' },
    rowsMax: ROWS_LARGE,
  },
  {
    name: 'kb_documents',
    table: 'kb_documents',
    columns: `
      id organization_id kb_id source_id key name mime_type size metadata status error text_kind content_hash
      chunk_count ${TIMES}`,
    computed: { text: '(select text from kb_texts where document_id = t.id)' },
    within: { table: 'knowledge_bases', column: 'kb_id' },
    rowsMax: ROWS_LARGE,
  },
  {
    name: 'kb_chunks',
    table: 'kb_chunks',
    columns: `
      id organization_id kb_id document_id number position page tokens is_enabled is_edited language headings
      content`,
    key: [['number', 'int']],
    within: { table: 'knowledge_bases', column: 'kb_id' },
    rowsMax: ROWS_WITH_TEXT,
  },
  {
    name: 'kb_evaluations',
    table: 'kb_evaluations',
    columns: `${MAKER} kb_id name questions ${TIMES}`,
    within: { table: 'knowledge_bases', column: 'kb_id' },
    rowsMax: ROWS_LARGE,
  },
  {
    name: 'agents',
    table: 'agents',
    columns: `${MAKER} name description agent_type model_id params is_public is_active ${TIMES}`,
    computed: {
      tool_ids: `(select coalesce(json_agg(tool_id order by position), '[]') from agent_tools where agent_id = t.id)`,
      knowledge_base_ids: `(select coalesce(json_agg(kb_id order by position), '[]') from agent_knowledge_bases
        where agent_id = t.id)`,
    },
    rowsMax: ROWS_WITH_TEXT,
  },
  {
    name: 'deployments',
    table: 'agent_deployments',
    columns: `${MAKER} agent_id name description deployment_type config status visitor_user_id ${TIMES}`,
  },
  {
    name: 'webhooks',
    table: 'webhook_endpoints',
    columns: `${MAKER} url description event_types is_enabled disabled_reason ${TIMES}`,
  },
  {
    name: 'mcp_connections',
    table: 'mcp_instances',
    columns: `${OWNER} name status ${TIMES}`,
    computed: { server: '(select name from mcp_servers where id = t.server_id)' },
    isPersonal: true,
  },
  {
    name: 'instructions',
    table: 'instructions',
    columns: `${OWNER} name content ${TIMES}`,
    rowsMax: ROWS_WITH_TEXT,
    isPersonal: true,
  },
  {
    name: 'chats',
    table: 'chats',
    columns: `
      ${OWNER} title status settings is_conversation pinned folder model_id agent_id deployment_id visitor_id
      leaf_message_id last_message_at ${TIMES}`,
    isPersonal: true,
  },
  {
    name: 'conversations',
    table: 'conversations',
    columns: `${OWNER} title is_archived ${TIMES}`,
    isPersonal: true,
  },
  {
    name: 'conversation_sessions',
    table: 'conversation_sessions',
    columns: `${OWNER} conversation_id model_id status ${TIMES}`,
    within: { table: 'conversations', column: 'conversation_id' },
    isPersonal: true,
  },
  {
    name: 'messages',
    table: 'chat_messages',
    columns: `
      ${OWNER} chat_id parent_message_id role content reasoning status error model_id agent_id input_tokens
      output_tokens upload_ids citations media tool_calls created_at`,
    within: { table: 'chats', column: 'chat_id' },
    rowsMax: ROWS_WITH_TEXT,
    isPersonal: true,
  },
  {
    name: 'files',
    table: 'uploads',
    columns: `${OWNER} chat_id source filename content_type size created_at`,
    where: `status = 'stored'`,
    isPersonal: true,
  },
  {
    name: 'ledger',
    table: 'ledger_entries',
    columns: `
      id position organization_id kind quantity amount balance_after hold_id model_id user_id api_key_id
      agent_id deployment_id chat_id message_id counterparty_id usage reason created_at`,
    key: [['position', 'bigint']],
  },
  {
    name: 'usage_days',
    table: 'usage_days',
    columns: `
      organization_id day model_id user_id api_key_id agent_id deployment_id messages input_tokens
      output_tokens credits`,
    key: [
      ['day', 'date'],
      ['ctid', 'tid'],
    ],
  },
  {
    name: 'audit',
    table: 'audit_entries',
    columns: `
      id organization_id actor_id api_key_id action record_type record_id before after ip_address request_id
      created_at`,
    rowsMax: ROWS_WITH_TEXT,
  },
]

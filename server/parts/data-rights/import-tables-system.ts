import type { SystemTransaction } from '#database/system-sql.ts'

/** Rows to insert, by table. Each row's keys are column names. */
export type NewRows = { -readonly [T in keyof typeof TABLES]?: object[] } & { chat_counts?: ChatCount[] }

const OWNED = 'id uuid, organization_id uuid'
const MADE = `${OWNED}, created_by uuid`
const PERSONAL = `${OWNED}, user_id uuid`
const TIMES = 'created_at timestamptz, updated_at timestamptz'

/** Imported tables with their columns and types. A table follows the tables that it refers to. */
const TABLES = {
  roles: `${OWNED}, name text, description text, hierarchy_level int, ${TIMES}`,
  role_permissions: 'role_id uuid, permission_id uuid',
  llm_models: `${MADE}, name text, provider text, version text, is_active bool, config jsonb, ${TIMES}`,
  tool_categories: `${MADE}, name text, description text, ${TIMES}`,
  tools: `${MADE}, category_id uuid, name text, description text, version text, is_active bool, logo_url text,
    configuration jsonb, inputs jsonb, outputs jsonb, settings jsonb, functions jsonb, ${TIMES}`,
  knowledge_bases: `${MADE}, name text, description text, embedding_model text, chunking jsonb, ${TIMES}`,
  kb_sources: `${MADE}, kb_id uuid, type text, config jsonb, status text, error text, ${TIMES}`,
  kb_documents: `${OWNED}, kb_id uuid, source_id uuid, key text, name text, mime_type text, size bigint,
    metadata jsonb, status text, error text, content_hash text, text_kind text, text_bytes int, stored_bytes bigint, found_by int, ${TIMES}`,
  kb_texts: 'document_id uuid, organization_id uuid, kb_id uuid, text text',
  kb_evaluations: `${MADE}, kb_id uuid, name text, questions jsonb, ${TIMES}`,
  agents: `${MADE}, name text, description text, agent_type text, model_id uuid, params jsonb, is_active bool,
    ${TIMES}`,
  agent_tools: 'organization_id uuid, agent_id uuid, tool_id uuid, position int, config text',
  agent_knowledge_bases: 'organization_id uuid, agent_id uuid, kb_id uuid, position int',
  agent_deployments: `${MADE}, agent_id uuid, visitor_user_id uuid, name text, description text,
    deployment_type text, config jsonb, status text, key_hash text, api_key_prefix text, ${TIMES}`,
  webhook_endpoints: `${MADE}, url text, description text, event_types text[], is_enabled bool, secret text, ${TIMES}`,
  instructions: `${PERSONAL}, name text, content text, ${TIMES}`,
  chats: `${PERSONAL}, title text, status text, settings jsonb, is_conversation bool, pinned bool, folder text,
    model_id uuid, agent_id uuid, last_message_at timestamptz, ${TIMES}`,
  conversations: `${PERSONAL}, title text, is_archived bool, ${TIMES}`,
  conversation_sessions: `${PERSONAL}, conversation_id uuid, model_id uuid, status text, ${TIMES}`,
  chat_messages: `${PERSONAL}, chat_id uuid, parent_message_id uuid, role text, content text, reasoning text,
    status text, error text, failure jsonb, finish_reason text, model_id uuid, agent_id uuid, input_tokens int,
    output_tokens int, upload_ids uuid[], citations jsonb, media jsonb, tool_calls jsonb, created_at timestamptz`,
  chat_words: `${PERSONAL}, chat_id uuid, title text`,
} as const

const ORDER = Object.keys(TABLES) as (keyof typeof TABLES)[]

/** Inserts rows in the caller's transaction, in the order of TABLES. */
export async function insertNewRows(tx: SystemTransaction, rows: NewRows): Promise<void> {
  await lockKnowledgeBases(tx, rows)
  for (const table of ORDER) {
    const some = rows[table] ?? []
    if (some.length === 0) continue
    const columns = TABLES[table]
    const names = columns.split(',').map((column) => `"${column.trim().split(' ')[0]}"`)
    await tx.unsafe(
      `insert into ${table} (${names}) select ${names} from json_to_recordset($1::text::json) as r (${columns})`,
      [JSON.stringify(some)],
    )
  }
  if (rows.chat_counts) await addChatCounts(tx, rows.chat_counts)
  if (rows.kb_documents) await countStoredBytes(tx, rows.kb_documents as CountedRow[])
}

/** A row that counts towards the storage of the organization that is imported. */
interface CountedRow {
  organization_id: string
  stored_bytes: number
}

/** Counts the storage of new rows without refusing them: an import is not bound by the quota. */
async function countStoredBytes(tx: SystemTransaction, rows: readonly CountedRow[]): Promise<void> {
  const [first] = rows
  const bytes = rows.reduce((sum, row) => sum + row.stored_bytes, 0)
  if (first)
    await tx`update organizations set stored_bytes = stored_bytes + ${bytes} where id = ${first.organization_id}`
}

/**
 * Locks the knowledge bases of new sources and documents (kb/lock-kb.ts), because documents of earlier batches may be
 * in the process of indexing.
 */
async function lockKnowledgeBases(
  tx: SystemTransaction,
  { kb_sources, kb_documents }: NewRows,
): Promise<void> {
  const ids = new Set(
    [...(kb_sources ?? []), ...(kb_documents ?? [])].map((row) => (row as { kb_id: string }).kb_id),
  )
  if (ids.size > 0)
    await tx`select from knowledge_bases where id = any(${[...ids]}::uuid[]) order by id for no key update`
}

interface ChatCount {
  id: string
  messages: number
  input: number
  output: number
  leaf: string | null
}

/** Adds to the message counters of chats, and sets their active leaves. */
async function addChatCounts(tx: SystemTransaction, counts: ChatCount[]): Promise<void> {
  const sums = new Map<string, ChatCount>()
  for (const { id, messages, input, output, leaf } of counts) {
    const sum = sums.get(id) ?? { id, messages: 0, input: 0, output: 0, leaf }
    sums.set(id, {
      id,
      messages: sum.messages + messages,
      input: sum.input + input,
      output: sum.output + output,
      leaf,
    })
  }
  await tx`
    update chats set message_count = message_count + r.messages, input_tokens = chats.input_tokens + r.input,
      output_tokens = chats.output_tokens + r.output, leaf_message_id = r.leaf
    from json_to_recordset(${JSON.stringify([...sums.values()])}::text::json)
      as r (id uuid, messages int, input bigint, output bigint, leaf uuid)
    where chats.id = r.id`
}

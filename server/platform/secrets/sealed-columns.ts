/** A column encrypted with Secrets.encrypt. */
export interface SealedColumn {
  table: string
  column: string
  /** Names and types of the primary key's columns. */
  key: readonly (readonly [name: string, type: 'uuid' | 'text'])[]
  /** Returns the context that a value's encryption is bound to, from the values of the primary key. */
  context(key: readonly string[]): string
}

const byId = (table: string, column: string, name = 'id'): SealedColumn => ({
  table,
  column,
  key: [[name, 'uuid']],
  context: ([id = '']) => id,
})
const byHash = (table: string, column: string, name: string): SealedColumn => ({
  ...byId(table, column),
  key: [[name, 'text']],
})

/**
 * All encrypted columns. `parley rotate-secret` re-encrypts only these columns. A test fails if a call of `encrypt`
 * writes to any other column (tests/house/sealed-columns.test.ts).
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  byId('llm_models', 'api_key'),
  byId('llm_connections', 'api_key'),
  byId('kb_sources', 'secrets'),
  byId('webhook_endpoints', 'secret'),
  byId('webhook_endpoints', 'previous_secret'),
  byId('mcp_servers', 'client_secret'),
  byId('mcp_clients', 'client', 'server_id'),
  byId('mcp_instances', 'credentials'),
  byId('mcp_attempts', 'payload'),
  { ...byId('mcp_attempts', 'answer'), context: ([id]) => `${id} answer` },
  byId('totp_factors', 'secret'),
  byId('users', 'leaving'),
  byHash('oidc_attempts', 'code_verifier', 'state_hash'),
  byHash('auth_challenges', 'pending', 'token_hash'),
  {
    table: 'agent_tools',
    column: 'config',
    key: [
      ['agent_id', 'uuid'],
      ['tool_id', 'uuid'],
    ],
    context: (ids) => ids.join('/'),
  },
  {
    table: 'oauth_records',
    column: 'payload',
    key: [
      ['kind', 'text'],
      ['id_hash', 'text'],
    ],
    context: (names) => `oauth ${names.join(' ')}`,
  },
  {
    table: 'idempotent_requests',
    column: 'answer',
    key: [
      ['owner', 'text'],
      ['route', 'text'],
      ['key', 'text'],
    ],
    context: (names) => `answer of ${names.join('\n')}`,
  },
]

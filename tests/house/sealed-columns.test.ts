import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SEALED_COLUMNS } from '#platform/secrets/sealed-columns.ts'

/*
 * Rotating SECRET must re-encrypt all encrypted values. This list names each call of `encrypt` with the column
 * that stores its value: a new call fails the first test, and a column missing from SEALED_COLUMNS fails the
 * second one. rotate-secret.ts covers values in jobs; values in Redis expire within half an hour. A client that keeps a
 * compaction sends the conversation again after a rotation.
 */
const CALLS: Record<string, string[]> = {
  'server/parts/auth/check-factor-system.ts': ['auth_challenges.pending'],
  'server/parts/auth/mailed-links-system.ts': ['a job'],
  'server/parts/auth/oidc-system.ts': ['oidc_attempts.code_verifier'],
  'server/parts/auth/codes-system.ts': ['totp_factors.secret'],
  'server/parts/data-rights/delete-account-system.ts': ['users.leaving'],
  'server/parts/data-rights/import-rows.ts': ['webhook_endpoints.secret'],
  'server/parts/kb/add-source.ts': ['kb_sources.secrets'],
  'server/parts/llm/manage-connections.ts': ['llm_connections.api_key', 'llm_connections.api_key'],
  'server/parts/llm/manage-models.ts': ['llm_models.api_key', 'llm_models.api_key'],
  'server/parts/mcp-playground/shared-memory.ts': ['Redis'],
  'server/parts/mcp-server/oauth-records-system.ts': ['oauth_records.payload', 'oauth_records.payload'],
  'server/parts/mcp/attempts-system.ts': ['mcp_attempts.answer'],
  'server/parts/mcp/connect.ts': ['mcp_attempts.payload'],
  'server/parts/mcp/catalogue-system.ts': ['mcp_servers.client_secret', 'mcp_servers.client_secret'],
  'server/parts/mcp/providers.ts': ['mcp_clients.client'],
  'server/parts/mcp/credentials.ts': ['mcp_instances.credentials'],
  'server/parts/openai/responses/compaction.ts': ['the client'],
  'server/parts/tools/tool-config.ts': ['agent_tools.config'],
  'server/parts/webhooks/manage-webhooks.ts': ['webhook_endpoints.secret', 'webhook_endpoints.secret'],
  'server/platform/idempotency/stored-requests.ts': ['idempotent_requests.answer'],
  'server/platform/mail/mail.ts': ['a job'],
  'server/platform/secrets/reseal.ts': ['what it was before'],
}
/** Columns that receive an encrypted value from another column, without a call of `encrypt`. */
const MOVED = ['webhook_endpoints.previous_secret']
const ELSEWHERE = ['a job', 'Redis', 'the client', 'what it was before']

test('every call of encrypt is listed here', () => {
  const calls = globSync('server/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(file, 'utf8').match(/secrets\.encrypt\(/g)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
  expect(Object.fromEntries(calls)).toEqual(
    Object.fromEntries(Object.entries(CALLS).map(([file, columns]) => [file, columns.length])),
  )
})

test('exactly the encrypted columns are declared for rotation', () => {
  const written = [...Object.values(CALLS).flat(), ...MOVED].filter((place) => !ELSEWHERE.includes(place))
  const declared = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  expect([...declared].sort()).toEqual([...new Set(written)].sort())
})

import postgres from 'postgres'
import type { Target } from './secret-target.ts'

/** Tables whose inserts fail. The driver's error then contains the values of the row. */
const TABLES = [
  'users',
  'sessions',
  'api_keys',
  'llm_models',
  'chats',
  'instructions',
  'webhook_endpoints',
  'knowledge_bases',
]

/**
 * Makes inserts of request data fail, and sends requests that cause such inserts. Does nothing without PostgreSQL.
 */
export async function breakDatabase({ stage, plants, owner }: Target): Promise<void> {
  if (stage.databaseUrl === null) return
  const sql = postgres(stage.databaseUrl, { max: 1, onnotice: () => {} })
  for (const table of TABLES)
    await sql`alter table ${sql(table)} add constraint planted check (false) not valid`
  const fail = async (path: string, body: object, token?: string): Promise<void> => {
    const { status, text } = await stage.call('POST', path, { body, ...(token !== undefined && { token }) })
    if (status < 500) throw new Error(`${path} does not use the table: ${status} ${text}`)
  }
  const { token, organizationId } = owner
  const org = `org_id=${organizationId}`
  try {
    const names = { first_name: 'A', last_name: 'B' }
    const person = { email: 'new@example.com', password: plants.plant('password'), ...names }
    await fail('/api/auth/signup', person)
    await fail('/api/auth/refresh', { refresh_token: owner.refreshToken })
    await fail(`/api/api_keys/create?${org}`, { name: 'k', permissions: ['chats:read'] }, token)
    const config = { base_url: `${stage.provider.url}/v1`, api_key: plants.plant('provider key', 'sk-') }
    const model = { name: 'm', provider: 'openai-compatible', version: 'emu', config }
    await fail(`/api/llm/add?${org}`, model, token)
    await fail(`/api/chat?${org}`, { title: plants.plant('private text') }, token)
    const content = plants.plant('private text')
    await fail(`/api/instructions/create?${org}`, { name: content, content }, token)
    const url = `${stage.receiver.url}/?token=${plants.plant('address of a webhook')}`
    const webhook = { url, event_types: ['conversation.updated'] }
    await fail(`/api/webhooks/create?${org}`, webhook, token)
    const secret_access_key = plants.plant('bucket secret')
    const bucket = { bucket: 'files', endpoint: stage.provider.url, access_key_id: 'AKIA', secret_access_key }
    const library = { name: content, description: '', embedding_model: 'local' }
    const sources = [{ type: 's3', config: bucket }]
    await fail(`/api/kb/create?${org}`, { ...library, sources }, token)
  } finally {
    for (const table of TABLES) await sql`alter table ${sql(table)} drop constraint planted`
    await sql.end()
  }
}

import type { Config } from '#config'
import { environmentProviders } from '#parts/llm/index.ts'
import type { Server } from './main.ts'

/** What a person sees who has started the server: where it is, how to sign in, and one line that works as it stands. */
export async function banner(server: Server, config: Config): Promise<string> {
  const { administrator } = server
  const lines = [
    '',
    `  Parley is at ${config.baseUrl}   (API reference: ${config.baseUrl}/docs)`,
    `  Database:  ${config.databaseUrl === null ? `embedded PostgreSQL in ${config.dataDir}` : 'PostgreSQL'}`,
    `  Models:    ${describeProviders(server)}`,
    `  Sign in:   ${describeSignIn(administrator, config)}`,
    '',
    '  Try it:',
    `  ${administrator?.password ? await chatLine(server, config, administrator) : `curl ${config.baseUrl}/readyz`}`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

function describeProviders(server: Server): string {
  const providers = environmentProviders(server.rooms)
  return providers[0] === 'demo'
    ? 'no provider key in the environment, so a built-in demo answers (OPENAI_API_KEY=… brings real models)'
    : providers.join(', ')
}

function describeSignIn(administrator: Server['administrator'], config: Config): string {
  if (!administrator) return `${config.adminEmail} (lost the password? npm run parley -- admin create EMAIL)`
  if (administrator.password === null) return `${administrator.email} with ADMIN_PASSWORD`
  return `${administrator.email} / ${administrator.password}   (shown this once)`
}

/** Signs in and has a model stream a reply, in one line. */
async function chatLine(
  { rooms }: Server,
  config: Config,
  { email, password }: { email: string; password: string | null },
): Promise<string> {
  const [ids] = await rooms.database.sql<{ org_id: string; model_id: string }[]>`
    select o.id as org_id, m.id as model_id from organizations o
    join users u on u.id = o.personal_user_id and u.email = ${email}
    cross join lateral (
      select id from llm_models where organization_id is null and is_active order by id limit 1) m`
  if (!ids) return `curl ${config.baseUrl}/readyz`
  const json = "-H 'Content-Type: application/json'"
  const signIn = `curl -s ${config.baseUrl}/api/auth/login ${json} -d '${JSON.stringify({ email, password })}'`
  const token = `$(${signIn} | grep -o 'eyJ[^"]*')`
  const address = `${config.baseUrl}/api/chat/send_message?org_id=${ids.org_id}&model_id=${ids.model_id}`
  return `curl -sN '${address}' -H "Authorization: Bearer ${token}" ${json} -d '{"content":"Hello!"}'`
}

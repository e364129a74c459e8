import type { Config } from '#config'
import { systemSql } from '#database/system-sql.ts'
import { AppError } from '#errors'
import { environmentProviders, ModelFinder, type ResolvedModel } from '#parts/llm/index.ts'
import type { Server } from './main.ts'

/**
 * Returns the text printed after a start: the server's address, how the administrator signs in, and a command that
 * can be copied and run unchanged.
 */
export async function banner(server: Server, config: Config): Promise<string> {
  const { administrator } = server
  const lines = [
    '',
    `  Console:   ${config.baseUrl}   (API reference: ${config.baseUrl}/docs)`,
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
  const providers = environmentProviders(server.services)
  return providers[0] === 'demo'
    ? 'only the built-in demo models (set OPENAI_API_KEY or another provider key to use real models)'
    : providers.join(', ')
}

function describeSignIn(administrator: Server['administrator'], config: Config): string {
  if (!administrator) return `${config.adminEmail} (forgot the password? ${adminCommand(process.env)})`
  if (administrator.password === null) return `${administrator.email} with ADMIN_PASSWORD`
  return `${administrator.email} / ${administrator.password}   (shown only once)`
}

/** Returns how the operator sets a new password. With npx, only the operator knows which file the command runs. */
function adminCommand({ npm_command: npmCommand }: NodeJS.ProcessEnv): string {
  if (npmCommand === 'exec') return 'run npx with the same file and: admin create EMAIL'
  return `${npmCommand === undefined ? 'parley' : 'npm run parley --'} admin create EMAIL`
}

/**
 * Returns a one-line command that signs in and streams a reply. Without a text model, the command requests /readyz
 * instead.
 */
async function chatLine(
  { services }: Server,
  config: Config,
  { email, password }: { email: string; password: string | null },
): Promise<string> {
  const [organization] = await systemSql(services.database)<{ id: string }[]>`
    select o.id from organizations o join users u on u.id = o.personal_user_id where u.email = ${email}`
  const model = organization && (await findTextModel(services, organization.id))
  if (!model) return `curl ${config.baseUrl}/readyz`
  const json = "-H 'Content-Type: application/json'"
  const signIn = `curl -s ${config.baseUrl}/api/auth/login ${json} -d '${JSON.stringify({ email, password })}'`
  const token = `$(${signIn} | grep -o 'eyJ[^"]*')`
  const address = `${config.baseUrl}/api/chat/send_message?org_id=${organization.id}&model_id=${model.id}`
  return `curl -sN '${address}' -H "Authorization: Bearer ${token}" ${json} -d '{"content":"Hello!"}'`
}

/** Returns the organization's default text model, or undefined if it has none. */
async function findTextModel(
  services: Server['services'],
  organizationId: string,
): Promise<ResolvedModel | undefined> {
  try {
    return await new ModelFinder(services).findDefault({ organizationId, userId: null }, 'text')
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

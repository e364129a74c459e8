import { randomBytes } from 'node:crypto'
import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { createUser } from '../users/index.ts'
import { endAllSessions } from './sessions-system.ts'

/** Key of the advisory lock, the same in every process. */
const ADMINISTRATOR_LOCK = 7_265_540

/**
 * Creates the system administrator at the first start. Returns the credentials, or null if an administrator exists.
 * `password` is null if the configuration sets it. A generated password cannot be shown again.
 */
export async function ensureAdministrator(
  services: Pick<Services, 'config' | 'database' | 'passwords' | 'secrets'>,
): Promise<{ email: string; password: string | null } | null> {
  const { config, passwords } = services
  const sql = systemSql(services.database)
  if (await hasAdministrator(sql)) return null
  const password = config.adminPassword ?? randomBytes(12).toString('base64url')
  const passwordHash = await passwords.hash(password)
  const isMade = await sql.begin(async (tx) => {
    // If several processes start concurrently, only one creates the administrator and knows the password.
    await tx`select pg_advisory_xact_lock(${ADMINISTRATOR_LOCK})`
    if (await hasAdministrator(tx)) return false
    await putAdministrator(tx, services, { email: config.adminEmail, passwordHash })
    return true
  })
  return isMade
    ? { email: config.adminEmail, password: config.adminPassword === null ? password : null }
    : null
}

/** Makes a user the system administrator and sets the password. Creates the user if needed. For the CLI. */
export async function setAdministrator(
  services: Pick<Services, 'config' | 'database' | 'secrets' | 'passwords'>,
  { email, password }: { email: string; password: string },
): Promise<'created' | 'changed'> {
  const passwordHash = await services.passwords.hash(password)
  return systemSql(services.database).begin((tx) => putAdministrator(tx, services, { email, passwordHash }))
}

async function putAdministrator(
  tx: SystemTransaction,
  services: Pick<Services, 'config' | 'secrets'>,
  input: { email: string; passwordHash: string },
): Promise<'created' | 'changed'> {
  const [user] = await tx<{ id: string }[]>`
    update users set is_system_admin = true, password_hash = ${input.passwordHash}, updated_at = now()
    where email = ${normalizeEmail(input.email)} and registered_at is not null returning id`
  if (user) {
    await endAllSessions(tx, user.id, 'password_changed')
    return 'changed'
  }
  const name = { first_name: 'System', last_name: 'Administrator' }
  await createUser(tx, services, {
    ...input,
    ...name,
    language: null,
    isSystemAdmin: true,
    emailVerified: true,
  })
  return 'created'
}

async function hasAdministrator(sql: SystemStatements): Promise<boolean> {
  const [known] = await sql`select from users where is_system_admin limit 1`
  return known !== undefined
}

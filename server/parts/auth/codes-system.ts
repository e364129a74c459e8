import { randomInt } from 'node:crypto'
import { newId } from '#database/new-id.ts'
import type { SystemStatements } from '#database/system-sql.ts'
import { fail } from '#errors'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'

const ISSUER = 'Parley'
const DEFAULT_NAME = 'Authenticator app'
/** Allowed clock difference in time steps of 30 seconds (RFC 6238, 5.2). */
const DRIFT_STEPS = 1
const SECRET_BYTES = 20
/** Lifetime of an unconfirmed secret, in minutes. */
const SETUP_MINUTES = 10

/**
 * Returns a TOTP generator with the parameters that all authenticator apps support: SHA-1, 6 digits, 30 seconds (RFC
 * 6238).
 */
async function openTotp(secret?: string, label = '') {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({
    issuer: ISSUER,
    label,
    secret: secret === undefined ? new Secret({ size: SECRET_BYTES }) : Secret.fromBase32(secret),
  })
}

/** Returns the time step of a code, or null if the code isn't valid now. */
async function stepOf(secret: string, code: string): Promise<number | null> {
  const totp = await openTotp(secret)
  const timestamp = Date.now()
  const delta = totp.validate({ token: code.replaceAll(/\s/g, ''), timestamp, window: DRIFT_STEPS })
  return delta === null ? null : totp.counter({ timestamp }) + delta
}

/** Stores a new secret. The factor becomes active when a first code confirms the secret. Throws auth.totp_exists. */
export async function beginTotp(
  secrets: Services['secrets'],
  sql: SystemStatements,
  user: { id: string; email: string },
): Promise<{ secret: string; otpauth_url: string }> {
  const totp = await openTotp(undefined, user.email)
  const id = newId()
  const sealed = secrets.encrypt(totp.secret.base32, id)
  const stored = await sql`
    insert into totp_factors (id, user_id, name, secret) values (${id}, ${user.id}, ${DEFAULT_NAME}, ${sealed})
    on conflict (user_id) do update set id = excluded.id, secret = excluded.secret, created_at = now()
      where totp_factors.confirmed_at is null`
  if (stored.count === 0) throw fail('auth.totp_exists')
  return { secret: totp.secret.base32, otpauth_url: totp.toString() }
}

/**
 * Activates a factor if the first code is correct. Returns the factor's id. Throws auth.totp_not_begun,
 * auth.totp_wrong_code.
 */
export async function confirmTotp(
  secrets: Services['secrets'],
  sql: SystemStatements,
  userId: string,
  { code, name }: { code: string; name?: string },
): Promise<string> {
  const [row] = await sql<{ id: string; secret: string }[]>`
    select id, secret from totp_factors
    where user_id = ${userId} and confirmed_at is null
      and created_at > now() - ${SETUP_MINUTES} * interval '1 minute' for update`
  if (!row) throw fail('auth.totp_not_begun')
  const step = await stepOf(secrets.decrypt(row.secret, row.id), code)
  if (step === null) throw fail('auth.totp_wrong_code')
  await sql`
    update totp_factors set confirmed_at = now(), last_used_step = ${step}, last_used_at = now(),
      name = coalesce(${name?.trim() ?? null}, name)
    where id = ${row.id}`
  return row.id
}

/**
 * Returns whether a code is valid. A code is accepted once: afterwards, codes of the same or an earlier time step are
 * refused.
 */
export async function acceptCode(
  secrets: Services['secrets'],
  sql: SystemStatements,
  userId: string,
  code: string,
): Promise<boolean> {
  const [row] = await sql<{ id: string; secret: string }[]>`
    select id, secret from totp_factors where user_id = ${userId} and confirmed_at is not null`
  const step = row && (await stepOf(secrets.decrypt(row.secret, row.id), code))
  if (row === undefined || step == null) return false
  const used = await sql`
    update totp_factors set last_used_step = ${step}, last_used_at = now()
    where id = ${row.id} and last_used_step < ${step}`
  return used.count > 0
}

const CODES = 10
/**
 * Characters of recovery codes, without characters that look alike. 16 of these 32 characters are 80 bits of entropy,
 * so a fast hash is sufficient.
 */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz123456789'
const CHARACTERS = 16
const GROUP = 4

/** Replaces a user's recovery codes. Returns the new codes, which cannot be shown again. */
export async function replaceRecoveryCodes(sql: SystemStatements, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode)
  const hashes = codes.map((code) => hashOf(userId, code))
  await sql`delete from recovery_codes where user_id = ${userId}`
  await sql`
    insert into recovery_codes (user_id, code_hash) select ${userId}, unnest(${hashes}::text[])`
  return codes
}

/** Consumes a recovery code. Returns whether the code was valid. One concurrent request wins. */
export async function acceptRecoveryCode(
  sql: SystemStatements,
  userId: string,
  code: string,
): Promise<boolean> {
  const used = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${hashOf(userId, code)}`
  return used.count > 0
}

const newCode = (): string =>
  Array.from({ length: CHARACTERS }, (_, index) => {
    const character = ALPHABET[randomInt(ALPHABET.length)] ?? ''
    return index > 0 && index % GROUP === 0 ? `-${character}` : character
  }).join('')

/** Returns the hash of a recovery code, ignoring case, hyphens and spaces. */
const hashOf = (userId: string, code: string): string =>
  hashToken(`recovery code ${userId} ${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`)

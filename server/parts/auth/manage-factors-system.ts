import type { Config } from '#config'
import type { Database } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { forgetGuesses } from '#platform/access/limit-guesses.ts'
import type { Caller } from '#platform/access/scope.ts'
import { recordEvents } from '#platform/audit/audit.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { SecondFactorEvent } from '#platform/mail/templates.ts'
import type { Services } from '#platform/services.ts'
import { issueChallenge, takeChallenge } from './challenges-system.ts'
import { admitGuess, checkProof, notifyUser, selectPasskeys } from './check-factor-system.ts'
import { beginTotp, confirmTotp, replaceRecoveryCodes } from './codes-system.ts'
import type { FactorAdded, FactorsView, FactorView, NewPasskey, Proof } from './factor-schemas.ts'
import { type Passkey, registrationOptions, requestOptions, verifyRegistration } from './passkeys.ts'
import { endAllSessions } from './sessions-system.ts'

/** @limit passkeys of a user */
const PASSKEYS_MAX = 10

/** Returns the caller's factors, oldest first. */
export async function listFactors({ database }: Services, caller: Caller): Promise<FactorsView> {
  const sql = systemSql(database)
  const [user] = await sql<Omit<FactorsView, 'factors'>[]>`
    select u.password_hash is not null as has_password, s.second_factor_at is not null as in_this_session,
      (select count(*)::int from recovery_codes r where r.user_id = u.id) as recovery_codes_left
    from users u join sessions s on s.user_id = u.id and s.id = ${caller.sessionId} where u.id = ${caller.userId}`
  if (!user) throw fail('auth.invalid_token')
  return { factors: await readFactors(sql, caller.userId), ...user }
}

/**
 * Stores a new secret for an authenticator app, which a code must confirm. Throws auth.factor_unverified, and the
 * errors of checkProof and beginTotp.
 */
export async function beginAuthenticator(services: Services, caller: Caller, proof: Proof) {
  const user = await checkProof(services, caller, proof)
  await refuseUnverified(services, caller)
  return commitWithAnswer(() => beginTotp(services.secrets, systemSql(services.database), user))
}

/**
 * Activates an authenticator app if the first code is correct. Throws auth.totp_not_begun, auth.totp_wrong_code,
 * auth.factor_unverified, auth.too_many_codes.
 */
export async function confirmAuthenticator(
  services: Services,
  caller: Caller,
  input: { code: string; name?: string },
): Promise<FactorAdded> {
  const { secrets, database } = services
  const [user] = await systemSql(database)<{ id: string; email: string }[]>`
    select id, email from users where id = ${caller.userId}`
  if (!user) throw fail('auth.invalid_token')
  await admitGuess(services, user)
  return commitWithAnswer(() =>
    addFactor(services, caller, 'totp added', async (tx) => {
      const id = await confirmTotp(secrets, tx, caller.userId, input)
      await forgetGuesses(tx, caller.userId)
      return id
    }),
  )
}

/**
 * Returns a challenge and options to register a passkey. Throws auth.factor_unverified, auth.passkeys_max, and the
 * errors of checkProof.
 */
export async function beginPasskey(services: Services, caller: Caller, proof: Proof) {
  const { database, config } = services
  const user = await checkProof(services, caller, proof)
  await refuseUnverified(services, caller)
  return commitWithAnswer(async () => {
    const known = await readPasskeys(services, caller.userId)
    if (known.length >= PASSKEYS_MAX) throw fail('auth.passkeys_max', { max: PASSKEYS_MAX })
    const { token, webauthnChallenge } = await issueChallenge(systemSql(database), {
      purpose: 'register_passkey',
      ...ownerOf(caller),
    })
    const person = { ...user, name: user.email }
    return {
      challenge: token,
      options: await registrationOptions(config, person, webauthnChallenge, known),
    }
  })
}

/**
 * Adds a passkey. Throws auth.factor_challenge_gone, auth.passkey_invalid, auth.passkey_exists, auth.passkeys_max,
 * auth.factor_unverified.
 */
export async function addPasskey(
  services: Services,
  caller: Caller,
  input: NewPasskey,
): Promise<FactorAdded> {
  const { database, config } = services
  const expected = { purpose: 'register_passkey', ...ownerOf(caller) } as const
  const challenge = await takeChallenge(systemSql(database), input.challenge, expected)
  if (!challenge) throw fail('auth.factor_challenge_gone')
  const passkey = await verifyRegistration(config, challenge.webauthnChallenge, input.response)
  return commitWithAnswer(() =>
    addFactor(services, caller, 'passkey added', async (tx) => {
      const id = newId()
      const made = await tx`
      insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, is_synced)
      select ${id}, ${caller.userId}, ${input.name.trim()}, ${passkey.credentialId}, ${passkey.publicKey},
        ${passkey.counter}, ${passkey.transports}, ${passkey.isSynced}
      where (select count(*) from passkeys where user_id = ${caller.userId}) < ${PASSKEYS_MAX}`
      if (made.count === 0) throw fail('auth.passkeys_max', { max: PASSKEYS_MAX })
      return id
    }),
  ).catch(onUniqueViolation('auth.passkey_exists'))
}

/** Returns a challenge and options to prove the caller's identity with a passkey. */
export async function beginProof(services: Services, caller: Caller) {
  const { token, webauthnChallenge } = await issueChallenge(systemSql(services.database), {
    purpose: 'proof',
    ...ownerOf(caller),
  })
  const passkeys = await readPasskeys(services, caller.userId)
  return { challenge: token, options: await requestOptions(services.config, webauthnChallenge, passkeys) }
}

/** Returns a factor of the caller. Throws auth.factor_not_found. */
export const getFactor = async (
  { database }: Services,
  { userId }: Caller,
  factorId: string,
): Promise<FactorView> => findFactor(await readFactors(systemSql(database), userId), factorId)

/** Renames a factor. Throws auth.factor_not_found. */
export async function renameFactor(
  { database }: Services,
  { userId }: Caller,
  factorId: string,
  name: string,
): Promise<FactorView> {
  const sql = systemSql(database)
  await sql.begin(async (tx) => {
    for (const table of ['totp_factors', 'passkeys'] as const)
      await tx`update ${tx(table)} set name = ${name.trim()} where id = ${factorId} and user_id = ${userId}`
  })
  return findFactor(await readFactors(sql, userId), factorId)
}

/**
 * Removes a factor. Removing the last factor also deletes the recovery codes, and the user's sessions no longer
 * satisfy organizations that require a factor. Throws auth.factor_not_found, and the errors of checkProof.
 */
export async function removeFactor(
  services: Services,
  caller: Caller,
  { factor_id: factorId, proof }: { factor_id: string; proof: Proof },
): Promise<void> {
  const { userId } = caller
  const sql = systemSql(services.database)
  findFactor(await readFactors(sql, userId), factorId)
  await checkProof(services, caller, proof)
  await commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await lockUser(tx, userId)
      const { type } = findFactor(await readFactors(tx, userId), factorId)
      await tx`delete from ${tx(type === 'totp' ? 'totp_factors' : 'passkeys')} where id = ${factorId}`
      if ((await readFactors(tx, userId)).length === 0) await endFactors(tx, userId)
      await noteChange(services, tx, caller, `${type} removed`)
    }),
  )
}

/** Replaces the recovery codes. Throws auth.no_factor, and the errors of checkProof. */
export async function renewRecoveryCodes(
  services: Services,
  caller: Caller,
  proof: Proof,
): Promise<string[]> {
  const sql = systemSql(services.database)
  await checkProof(services, caller, proof)
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await lockUser(tx, caller.userId)
      if ((await readFactors(tx, caller.userId)).length === 0) throw fail('auth.no_factor')
      await noteChange(services, tx, caller, 'recovery codes replaced')
      return replaceRecoveryCodes(tx, caller.userId)
    }),
  )
}

/**
 * Deletes the recovery codes, and clears the second factor of all sessions. Called after the last factor was removed.
 */
export async function endFactors(tx: SystemTransaction, userId: string): Promise<void> {
  await tx`delete from recovery_codes where user_id = ${userId}`
  await tx`update sessions set second_factor_at = null where user_id = ${userId}`
}

/**
 * Adds a factor. The first factor of an account also creates recovery codes. Only the current session counts as
 * confirmed by a factor, and other sessions continue without it.
 */
async function addFactor(
  services: Services,
  caller: Caller,
  event: SecondFactorEvent,
  add: (tx: SystemTransaction) => Promise<string>,
): Promise<FactorAdded> {
  const { userId, sessionId } = caller
  return systemSql(services.database).begin(async (tx) => {
    await lockUser(tx, userId)
    const isFirst = (await readFactors(tx, userId)).length === 0
    const factorId = await add(tx)
    await tx`update sessions set second_factor_at = now() where id = ${sessionId}`
    await noteChange(services, tx, caller, event)
    const codes = isFirst ? await replaceRecoveryCodes(tx, userId) : null
    return { factor: findFactor(await readFactors(tx, userId), factorId), recovery_codes: codes }
  })
}

/** Locks the user, so that changes to their factors run one at a time. Throws auth.factor_unverified. */
async function lockUser(tx: SystemTransaction, userId: string): Promise<void> {
  const [user] = await tx`
    select from users where id = ${userId} and email_verified_at is not null for no key update`
  if (!user) throw fail('auth.factor_unverified')
}

/**
 * Throws auth.factor_unverified if the user's address is unverified. Otherwise, an attacker could sign up with
 * another user's address, add a factor, and lock the address's owner out.
 */
async function refuseUnverified({ database }: Services, { userId }: Caller): Promise<void> {
  const [user] = await systemSql(
    database,
  )`select from users where id = ${userId} and email_verified_at is not null`
  if (!user) throw fail('auth.factor_unverified')
}

/** Emails the user about a change of factors, and records it in the audit log of each of their organizations. */
async function noteChange(
  services: Services,
  tx: SystemTransaction,
  caller: Caller,
  event: SecondFactorEvent,
): Promise<void> {
  const [user] = await tx<{ email: string }[]>`select email from users where id = ${caller.userId}`
  if (user) await notifyUser(services, tx, user, event)
  const memberships = await tx<{ organizationId: string }[]>`
    select organization_id as "organizationId" from memberships
    where user_id = ${caller.userId} and status = 'active'`
  const change = {
    action: 'member.second_factor_changed',
    recordId: caller.userId,
    after: { event },
  } as const
  await recordEvents(
    tx,
    caller,
    memberships.map(({ organizationId }) => ({ organizationId, event: change })),
  )
}

const readPasskeys = ({ database }: Services, userId: string) => {
  const sql = systemSql(database)
  return sql<Passkey[]>`${selectPasskeys(sql)} where user_id = ${userId} order by id`
}

async function readFactors(sql: SystemStatements, userId: string) {
  const rows = await sql<FactorView[]>`
    select id, 'totp' as type, name, created_at, last_used_at from totp_factors
    where user_id = ${userId} and confirmed_at is not null
    union all
    select id, 'passkey', name, created_at, last_used_at from passkeys where user_id = ${userId}
    order by id`
  return rows.map(
    (row): FactorView => ({
      ...row,
      created_at: new Date(row.created_at).toISOString(),
      last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
    }),
  )
}

function findFactor(factors: readonly FactorView[], id: string): FactorView {
  const found = factors.find((factor) => factor.id === id)
  if (!found) throw fail('auth.factor_not_found', { value: id })
  return found
}

const ownerOf = ({ userId, sessionId }: Caller) => ({ userId, sessionId })

/**
 * Removes all factors and recovery codes of a user who has lost them. Also ends the user's sessions, and notifies the
 * user by email. Keeps the password. For the CLI. Returns false if there is no such user.
 */
export async function resetFactors(
  { database, mail, config }: { database: Database; mail: Mail; config: Config },
  email: string,
): Promise<boolean> {
  return systemSql(database).begin(async (tx) => {
    const [user] = await tx<{ id: string; email: string }[]>`
      select id, email from users
      where email = ${normalizeEmail(email)} and registered_at is not null for no key update`
    if (!user) return false
    for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'auth_challenges'] as const)
      await tx`delete from ${tx(table)} where user_id = ${user.id}`
    await endAllSessions(tx, user.id, 'factors_reset')
    await notifyUser({ mail, config }, tx, user, 'reset by administrator')
    return true
  })
}

import { type SystemStatements, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail, SECRET_VALUE } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import type { Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { joinByInvitation, redeemToken, validateToken } from '../invitations/index.ts'
import { createUser, type NewAccount, readUser } from '../users/index.ts'
import { demandFactor } from './check-factor-system.ts'
import { endOlderAccess, mailVerification, proveAddress } from './mailed-links-system.ts'
import type { Credentials, InvitedUser, MagicLink, NewUser, SignedIn } from './schemas.ts'
import { type Assurance, startSession } from './sessions-system.ts'

/** Creates a user with a personal organization, and signs in. Throws auth.signup_closed, auth.email_taken. */
export async function signUp(services: Services, client: Client, input: NewUser): Promise<SignedIn> {
  if (services.config.signup !== 'open') throw fail('auth.signup_closed')
  const passwordHash = await services.passwords.hash(input.password)
  return commitWithAnswer(() =>
    systemSql(services.database).begin(async (tx) => {
      const user = await register(services, tx, { ...input, passwordHash, language: client.language })
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/** Creates a user with an unverified address, and sends the verification email. Throws auth.email_taken. */
export async function register(
  services: Services,
  tx: SystemTransaction,
  input: Pick<NewAccount, 'email' | 'first_name' | 'last_name' | 'passwordHash' | 'language'>,
): Promise<{ id: string; email: string }> {
  const user = await createUser(tx, services, input)
  await mailVerification(services, tx, user)
  return user
}

/** Starts a session. Returns the response that all kinds of sign-in share. */
export async function signedIn(
  { tokens }: Pick<Services, 'tokens'>,
  tx: SystemTransaction,
  userId: string,
  client: Client,
  assurance: Assurance,
): Promise<SignedIn> {
  const user = await readUser(tx, userId)
  return { user, ...(await startSession({ sql: tx, tokens }, user, client, assurance)) }
}

/**
 * Signs in with email and password. Throws auth.invalid_credentials, auth.too_many_attempts, and
 * auth.second_factor_needed. Takes the same time for an unknown email address as for a wrong password.
 */
export async function logIn(services: Services, client: Client, input: Credentials): Promise<SignedIn> {
  const sql = systemSql(services.database)
  const attempt = { email: normalizeEmail(input.email), address: client.address }
  await slowDownAttempt(sql, attempt)
  const [user] = await sql<{ id: string; email: string; password_hash: string | null }[]>`
    select id, email, password_hash from users where email = ${attempt.email}`
  const right = await services.passwords.verify(input.password, user?.password_hash)
  if (!user || !right) throw fail('auth.invalid_credentials')
  await forgetAttempts(sql, attempt)
  const demand = await demandFactor(services, { id: user.id, checkedHash: user.password_hash })
  if (demand) throw demand
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      await keepPassword(tx, user)
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/**
 * Locks the verified password until the transaction ends, so that a concurrent password reset also ends the new
 * session. Throws auth.invalid_credentials if the password has changed.
 */
export async function keepPassword(
  tx: SystemTransaction,
  user: { id: string; password_hash: string | null },
): Promise<void> {
  const [same] = await tx`
    select from users where id = ${user.id} and password_hash = ${user.password_hash} for share`
  if (!same) throw fail('auth.invalid_credentials')
}

interface Account {
  id: string
  email: string
  password_hash: string | null
  registered: boolean
}

/**
 * Signs up with an invitation. If the invited address has an account, joins with that account after checking its
 * password, and ends the account's older sessions and API keys. The token doesn't prove the address, because the
 * inviter also knows it. Throws invitation.not_found, invitation.gone, invitation.role_gone,
 * auth.invalid_credentials.
 */
export async function signUpInvited(
  services: Services,
  client: Client,
  input: InvitedUser,
): Promise<SignedIn> {
  const sql = systemSql(services.database)
  const { email } = await validateToken(services.database, input.token)
  const known = await findAccount(sql, email)
  if (known?.registered) {
    // A concurrent request may have created this account with the same token since the check above. The token is then
    // used, and the password isn't an attempt to sign in.
    await validateToken(services.database, input.token)
    await checkPassword(services, client, known, input.password)
    const pending = { token: input.token, byMagicLink: false, passwordHash: null }
    const demand = await demandFactor(services, { id: known.id, checkedHash: known.password_hash }, pending)
    if (demand) throw demand
  }
  const passwordHash = known?.registered ? null : await services.passwords.hash(input.password)
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      const invitation = await redeemToken(tx, input.token, { byMagicLink: false })
      if (known?.registered) {
        await keepPassword(tx, known)
        await endOlderAccess(tx, client, known.id, 'address_proven')
      }
      const user = known?.registered
        ? known
        : await register(services, tx, { ...input, email, passwordHash, language: client.language })
      await joinByInvitation(tx, invitation, { userId: user.id, client })
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/**
 * Accepts an invitation of /api/users/invite by its emailed link, and signs in. The link proves the address, because
 * it was only sent there. The account's older sessions, password and API keys therefore end. Throws
 * invitation.not_found, invitation.gone.
 */
export async function acceptMagicLink(
  services: Services,
  client: Client,
  input: MagicLink,
): Promise<SignedIn> {
  const sql = systemSql(services.database)
  const passwordHash = input.password === undefined ? null : await services.passwords.hash(input.password)
  const demand = await demandForLink(services, input.token, passwordHash)
  if (demand) throw demand
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      const invitation = await redeemToken(tx, input.token, { byMagicLink: true })
      const account = await findAccount(tx, invitation.email)
      if (!account) throw fail('invitation.not_found', { field: 'token', value: SECRET_VALUE })
      if (account.registered) await proveAddress(services, tx, client, account.id, passwordHash)
      else await registerProven(services, tx, client, account, passwordHash)
      await joinByInvitation(tx, invitation, { userId: account.id, client })
      return signedIn(services, tx, account.id, client, 'one factor')
    }),
  )
}

/**
 * Returns the error that asks for a second factor if the account has one, because the emailed link alone is then
 * insufficient. The invitation waits in the challenge.
 */
async function demandForLink(services: Services, token: string, passwordHash: string | null) {
  const sql = systemSql(services.database)
  const { email } = await validateToken(services.database, token, { byMagicLink: true })
  const account = await findAccount(sql, email)
  if (!account?.registered) return null
  return demandFactor(
    services,
    { id: account.id, checkedHash: null },
    { token, byMagicLink: true, passwordHash },
  )
}

async function findAccount(sql: SystemStatements, email: string) {
  const [account] = await sql<Account[]>`
    select id, email, password_hash, registered_at is not null as registered
    from users where email = ${email}`
  return account
}

async function checkPassword(
  services: Services,
  client: Client,
  account: Account,
  password: string,
): Promise<void> {
  await slowDownAttempt(systemSql(services.database), { email: account.email, address: client.address })
  if (!(await services.passwords.verify(password, account.password_hash)))
    throw fail('auth.invalid_credentials')
}

/** Registers the account that the invitation created. The emailed link has proven its address. */
async function registerProven(
  services: Services,
  tx: SystemTransaction,
  { language }: Client,
  account: Account,
  passwordHash: string | null,
): Promise<void> {
  const [names] = await tx<{ first_name: string; last_name: string }[]>`
    select first_name, last_name from users where id = ${account.id}`
  if (!names) throw fail('invitation.not_found', { field: 'token', value: SECRET_VALUE })
  await createUser(tx, services, {
    email: account.email,
    ...names,
    passwordHash,
    language,
    emailVerified: true,
  })
}

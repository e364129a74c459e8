import type { TransactionSql } from 'postgres'
import { fail } from '#errors'
import { slowDownAttempt } from '#platform/access/attempts.ts'
import type { Client } from '#platform/access/scope.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Services } from '#platform/services.ts'
import { joinByInvitation, redeemToken, validateToken } from '../invitations/index.ts'
import { createUser } from '../users/index.ts'
import { demandFactor } from './demand-factor.ts'
import { endOlderAccess, proveAddress } from './prove-address.ts'
import type { InvitedUser, MagicLink, SignedIn } from './schemas.ts'
import { keepPassword, register, signedIn } from './sign-in.ts'

interface Account {
  id: string
  email: string
  password_hash: string | null
  registered: boolean
}

/**
 * Signs up with an invitation, or joins with the account that the invited email has by now, its password being the
 * proof of the account; its older sessions and API keys end. The inviter knows the token too, so it proves nothing
 * about the address. Throws invitation.not_found, invitation.gone, invitation.role_gone, auth.invalid_credentials.
 */
export async function signUpInvited(
  services: Services,
  client: Client,
  input: InvitedUser,
): Promise<SignedIn> {
  const { sql } = services.database
  const { email } = await validateToken(sql, input.token)
  const known = await findAccount(sql, email)
  if (known?.registered) {
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
        await endOlderAccess(tx, client, known.id)
      }
      const user = known?.registered ? known : await register(services, tx, { ...input, email, passwordHash })
      await joinByInvitation(tx, invitation, { userId: user.id, client })
      return signedIn(services, tx, user.id, client, 'one factor')
    }),
  )
}

/**
 * Accepts /api/users/invite by the link that was mailed, and signs in. Only the mailbox has the link, so it proves the
 * address: older sessions, passwords and API keys of the account end. Throws invitation.not_found, invitation.gone.
 */
export async function acceptMagicLink(
  services: Services,
  client: Client,
  input: MagicLink,
): Promise<SignedIn> {
  const { sql } = services.database
  const passwordHash = input.password === undefined ? null : await services.passwords.hash(input.password)
  const demand = await demandForLink(services, input.token, passwordHash)
  if (demand) throw demand
  return commitWithAnswer(() =>
    sql.begin(async (tx) => {
      const invitation = await redeemToken(tx, input.token, { byMagicLink: true })
      const account = await findAccount(tx, invitation.email)
      if (!account) throw fail('invitation.not_found')
      if (account.registered) await proveAddress(services, tx, client, account.id, passwordHash)
      else await registerProven(services, tx, account, passwordHash)
      await joinByInvitation(tx, invitation, { userId: account.id, client })
      return signedIn(services, tx, account.id, client, 'one factor')
    }),
  )
}

/** An account with factors is not let in by the link alone: the invitation waits for the factor. */
async function demandForLink(services: Services, token: string, passwordHash: string | null) {
  const { sql } = services.database
  const { email } = await validateToken(sql, token, { byMagicLink: true })
  const account = await findAccount(sql, email)
  if (!account?.registered) return null
  return demandFactor(
    services,
    { id: account.id, checkedHash: null },
    { token, byMagicLink: true, passwordHash },
  )
}

async function findAccount(sql: Services['database']['sql'] | TransactionSql, email: string) {
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
  await slowDownAttempt(services.database.sql, { email: account.email, address: client.address })
  if (!(await services.passwords.verify(password, account.password_hash)))
    throw fail('auth.invalid_credentials')
}

/** Makes a person of the account that the invitation has made beforehand. */
async function registerProven(
  services: Services,
  tx: TransactionSql,
  account: Account,
  passwordHash: string | null,
): Promise<void> {
  const [names] = await tx<{ first_name: string; last_name: string }[]>`
    select first_name, last_name from users where id = ${account.id}`
  if (!names) throw fail('invitation.not_found')
  await createUser(tx, services, { email: account.email, ...names, passwordHash, emailVerified: true })
}

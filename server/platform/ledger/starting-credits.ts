import type { TransactionSql } from 'postgres'
import { newId } from '#database/new-id.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'

const REASON = 'starting credits'
/** Domains that ignore dots in the local part of an email address. */
const DOTLESS_DOMAINS = ['gmail.com', 'googlemail.com']

/**
 * Grants STARTING_CREDITS to a user's personal organization, once per email address, in the caller's transaction.
 * Called whenever an account is created or an address is verified.
 *
 * With SMTP_URL, an unverified address gets no credits yet. Later calls and new accounts with the same address get
 * none. For this check, `starting_credit_claims` keeps a keyed hash of each address, even after the account is
 * deleted.
 */
export async function grantStartingCredits(
  tx: TransactionSql,
  { config, secrets }: Pick<Services, 'config' | 'secrets'>,
  userId: string,
): Promise<void> {
  if (config.startingCredits === 0) return
  // Accounts of an earlier release received their credits without a claim, so also check the first ledger entry.
  const [person] = await tx<{ email: string; organizationId: string; isProved: boolean }[]>`
    select u.email, o.id as "organizationId", u.email_verified_at is not null as "isProved"
    from users u join organizations o on o.personal_user_id = u.id and o.closed_at is null
    where u.id = ${userId} and (
      select reason from ledger_entries where organization_id = o.id order by position limit 1
    ) is distinct from ${REASON}`
  if (!person || (config.smtpUrl !== null && !person.isProved)) return
  const hashes = secrets.signatures(mailboxOf(person.email), REASON)
  const claimed = await tx`
    insert into starting_credit_claims (address_hash)
    select ${hashes[0]} where not exists (
      select from starting_credit_claims where address_hash = any (${hashes}::text[]))
    on conflict do nothing`
  if (claimed.count === 0) return
  const amount = config.startingCredits
  await tx`
    with account as (
      update credit_accounts set balance = balance + ${amount}
      where organization_id = ${person.organizationId} returning organization_id, balance)
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, reason)
    select ${newId()}, organization_id, 'CREDIT', ${amount}, ${amount}, balance, ${REASON} from account`
}

/**
 * Returns the mailbox that an email address probably belongs to: in lowercase, without a `+` suffix, and without dots
 * for Gmail. Used only for comparing claims. Accounts are compared by their full addresses.
 */
export function mailboxOf(email: string): string {
  const address = normalizeEmail(email)
  const at = address.lastIndexOf('@')
  const [local = ''] = address.slice(0, at).split('+')
  const domain = address.slice(at + 1)
  return DOTLESS_DOMAINS.includes(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}

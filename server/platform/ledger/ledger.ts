import type { Database } from '#database/connect.ts'
import { and, desc, eq, lt, type SQL, sql as statement } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { creditAccounts, ledgerEntries } from '#database/schema/ledger.ts'
import { fail } from '#errors'

export type LedgerEntry = typeof ledgerEntries.$inferSelect

/** An organization's credits, called with plain values. Holds are opened and closed by hold-statements.ts. */
export interface Ledger {
  /** Credits: the balance, how many of them open holds reserve, and what is left. */
  balance(organizationId: string): Promise<{ balance: number; held: number; available: number }>
  /** Entries, newest first, below an id. */
  entries(organizationId: string, below: string | undefined, count: number): Promise<LedgerEntry[]>
  /** Adds credits. Throws org.not_found. */
  grant(organizationId: string, amount: number, reason: string): Promise<LedgerEntry>
}

export function createLedger({ sql, db }: Database): Ledger {
  return {
    async balance(organizationId) {
      const [account] = await db
        .select()
        .from(creditAccounts)
        .where(eq(creditAccounts.organizationId, organizationId))
      const { balance = 0, held = 0 } = account ?? {}
      return { balance, held, available: balance - held }
    },
    entries: (organizationId, below, count) =>
      db
        .select()
        .from(ledgerEntries)
        .where(
          and(
            eq(ledgerEntries.organizationId, organizationId),
            below === undefined ? undefined : lt(ledgerEntries.position, positionOf(below)),
          ),
        )
        .orderBy(desc(ledgerEntries.position))
        .limit(count),
    async grant(organizationId, amount, reason) {
      const id = newId()
      const added = await sql`
        with account as (
          update credit_accounts set balance = balance + ${amount}
          where organization_id = ${organizationId} returning organization_id, balance)
        insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after, reason)
        select ${id}, organization_id, 'CREDIT', ${amount}, ${amount}, balance, ${reason} from account`
      if (added.count === 0) throw fail('org.not_found')
      const [entry] = await db.select().from(ledgerEntries).where(eq(ledgerEntries.id, id))
      return entry as LedgerEntry
    },
  }
}

/** Where an entry stands. Entries are ordered by position, since that is what balance_after follows. */
const positionOf = (id: string): SQL =>
  statement`(select ${ledgerEntries.position} from ${ledgerEntries} where ${ledgerEntries.id} = ${id})`

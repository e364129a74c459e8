import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { formatCredits, formatNumber } from '../../ui/format.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'

const DAYS = 30
const DAY_MS = 86_400_000

/** What is left, and what was used of late. */
export function Spending() {
  const { organization } = useHere()
  const org_id = organization.id
  const balance = useQuery(read('GET /api/billing/balance', { org_id }))
  // A day and not a moment, so that it is the same question all day long.
  const from = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const usage = useQuery(read('GET /api/billing/usage', { org_id, from }))
  return (
    <section
      aria-label="Credits"
      className="flex flex-col gap-3 rounded-2xl border border-line bg-raised p-5"
    >
      <header className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">Credits</h2>
        <Link to="/usage" className="text-sm text-accent underline" aria-label="All usage">
          All
        </Link>
      </header>
      <Loaded query={balance} skeleton={<Skeleton className="h-9 w-40" />}>
        {({ available, credits_low_threshold }) => (
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-2xl font-semibold tracking-tight tabular-nums">
              {formatCredits(available)}
            </span>
            <span
              className={available <= credits_low_threshold ? 'text-sm text-danger' : 'text-sm text-muted'}
            >
              {available < 1 ? 'left: nothing is answered' : 'left'}
            </span>
          </p>
        )}
      </Loaded>
      <Loaded query={usage} skeleton={<Skeleton className="h-5" />}>
        {({ totals }) => (
          <p className="text-sm text-muted">
            {totals.messages === 0
              ? `Nothing was used in the last ${DAYS} days.`
              : `${formatCredits(totals.credits)} used in the last ${DAYS} days, by ${formatNumber(totals.messages)} ${totals.messages === 1 ? 'reply' : 'replies'}.`}
          </p>
        )}
      </Loaded>
    </section>
  )
}

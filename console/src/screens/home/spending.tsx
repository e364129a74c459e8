import type { Balance } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { formatCredits } from '../../ui/format.ts'
import { Loaded, Skeleton } from '../../ui/states.tsx'

const t = translator('home')

const COLORS = { available: 'text-muted', low: 'text-warning', none: 'text-danger' }
const DAYS = 30
const DAY_MS = 86_400_000

export function Spending() {
  const { organization } = useHere()
  const org_id = organization.id
  const balance = useQuery(read('GET /api/billing/balance', { org_id }))
  // Omit the time, so that the query key stays the same all day.
  const from = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const usage = useQuery(read('GET /api/billing/usage', { org_id, from }))
  return (
    <section
      aria-label={t('spending.title')}
      className="flex flex-col gap-3 rounded-2xl border border-line bg-raised p-5"
    >
      <header className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">{t('spending.title')}</h2>
        <Link
          to="/usage"
          className="reach text-sm text-muted hover:text-ink hover:underline"
          aria-label={t('spending.all')}
        >
          {t('viewAll')}
        </Link>
      </header>
      <Loaded query={balance} skeleton={<Skeleton className="h-9 w-40" />}>
        {(credits) => {
          const state = stateOf(credits)
          return (
            <p className="flex flex-wrap items-baseline gap-x-2">
              {t.rich(`spending.${state}`, {
                credits: formatCredits(credits.available),
                amount: (text) => (
                  <span className="text-2xl font-semibold tracking-tight tabular-nums">{text}</span>
                ),
                note: (text) => <span className={`text-sm ${COLORS[state]}`}>{text}</span>,
              })}
            </p>
          )
        }}
      </Loaded>
      <Loaded query={usage} skeleton={<Skeleton className="h-5" />}>
        {({ totals }) => (
          <p className="text-sm text-muted">
            {totals.messages === 0
              ? t('spending.unused', { days: DAYS })
              : t('spending.used', {
                  credits: formatCredits(totals.credits),
                  days: DAYS,
                  replies: totals.messages,
                })}
          </p>
        )}
      </Loaded>
    </section>
  )
}

function stateOf({ available, balance, credits_low_threshold }: Balance): keyof typeof COLORS {
  if (available < 1) return 'none'
  return balance < credits_low_threshold ? 'low' : 'available'
}

import type { Deployment, DeploymentUsage } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { buttonLook } from '../../ui/button.tsx'
import { BarChart } from '../../ui/chart.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SelectField } from '../../ui/field.tsx'
import { formatCompact, formatCredits, formatDate, formatDay, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { ChatPreview } from './chat-preview.tsx'
import type { Period } from './search-params.ts'

const DAY_MS = 86_400_000

/** How it is used, and how it looks. */
export function Overview({ deployment }: { deployment: Deployment }) {
  const isShown = deployment.deployment_type !== 'api'
  return (
    <div
      className={classNames(
        'grid items-start gap-6',
        isShown && 'lg:grid-cols-[minmax(0,1fr)_minmax(0,25rem)]',
      )}
    >
      <div className="flex min-w-0 flex-col gap-6">
        <Usage deployment={deployment} />
        <Facts deployment={deployment} />
      </div>
      {isShown && <ChatPreview deployment={deployment} />}
    </div>
  )
}

function Usage({ deployment }: { deployment: Deployment }) {
  const { days = 30 } = useSearch({ from: '/app/deployments/$deploymentId' })
  const navigate = useNavigate()
  const to = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  const usage = useQuery({
    ...read('GET /api/agent_deploy/usage', { deployment_id: deployment.id, from, to }),
    placeholderData: (before) => before,
  })
  const choose = (chosen: Period) =>
    void navigate({
      from: '/deployments/$deploymentId',
      to: '.',
      search: (search) => ({ ...search, days: chosen }),
      replace: true,
    })
  return (
    <Section
      title="Usage"
      description="A reply counts on the day (UTC) on which it ends."
      actions={
        <div className="w-36">
          <SelectField
            label={<span className="sr-only">Period</span>}
            value={days}
            onChange={({ target }) => choose(Number(target.value) as Period)}
          >
            <option value={7}>7 days</option>
            <option value={30}>30 days</option>
            <option value={90}>90 days</option>
          </SelectField>
        </div>
      }
    >
      <Loaded query={usage} skeleton={<Skeleton className="h-60" />}>
        {(used) => <UsageChart usage={used} />}
      </Loaded>
    </Section>
  )
}

const UsageChart = ({ usage: { totals, daily } }: { usage: DeploymentUsage }) => (
  <>
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
      <Figure name="Replies" value={formatNumber(totals.messages)} />
      <Figure name="Credits" value={formatCredits(totals.credits)} />
      <Figure name="Tokens read" value={formatCompact(totals.input_tokens)} />
      <Figure name="Tokens written" value={formatCompact(totals.output_tokens)} />
    </dl>
    {totals.messages === 0 ? (
      <p className="rounded-xl bg-surface px-4 py-8 text-center text-sm text-muted">
        Nobody has talked to it in this time.
      </p>
    ) : (
      <BarChart
        label="Replies by day"
        format={formatNumber}
        bars={daily.map(({ date, messages }) => ({ label: formatDay(date), value: messages }))}
      />
    )}
  </>
)

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div className="flex flex-col">
    <dt className="text-sm text-muted">{name}</dt>
    <dd className="text-xl font-semibold tabular-nums">{value}</dd>
  </div>
)

function Facts({ deployment }: { deployment: Deployment }) {
  const { config, created_at, api_key_prefix, deployment_type: type } = deployment
  const limit = config.daily_message_limit
  const origins = config.allowed_origins ?? []
  return (
    <Section
      title="About it"
      actions={
        <Link
          from="/deployments/$deploymentId"
          to="."
          search={(search) => ({ ...search, tab: 'install' })}
          className={buttonLook('secondary', 'small')}
        >
          {type === 'api' ? 'How to call it' : 'How to install it'}
        </Link>
      }
    >
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        <Fact name="Daily limit">
          {limit === undefined ? 'None' : `${formatNumber(limit)} messages a day (UTC)`}
        </Fact>
        {type !== 'api' && (
          <Fact name="Pages that may show it">{origins.length === 0 ? 'Any page' : origins.join(', ')}</Fact>
        )}
        <Fact name="Key">
          <code className="font-mono">{api_key_prefix}…</code>
        </Fact>
        <Fact name="Deployed">{formatDate(created_at)}</Fact>
      </dl>
    </Section>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
)

import type { Deployment, DeploymentUsage } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { buttonLook } from '../../ui/button.tsx'
import { BarChart, BarChartSkeleton } from '../../ui/chart.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SelectField } from '../../ui/field.tsx'
import {
  formatCompact,
  formatCredits,
  formatDate,
  formatDay,
  formatList,
  formatNumber,
} from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'
import { ChatPreview } from './chat-preview.tsx'
import { DEPLOYMENT_PERIODS, type Period } from './search-params.ts'

const t = translator('deployments')

const DAY_MS = 86_400_000

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
      {isShown && <ChatPreview deployment={deployment} config={deployment.config} />}
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
      title={t('overview.usage')}
      description={t('overview.usageHint')}
      actions={
        <div className="w-40">
          <SelectField
            label={<span className="sr-only">{t('overview.period')}</span>}
            value={days}
            onChange={({ target }) => choose(Number(target.value) as Period)}
          >
            {DEPLOYMENT_PERIODS.map((period) => (
              <option key={period} value={period}>
                {t('overview.days', { count: period })}
              </option>
            ))}
          </SelectField>
        </div>
      }
    >
      <Loaded query={usage} skeleton={<UsageSkeleton />}>
        {(used) => <UsageChart usage={used} />}
      </Loaded>
    </Section>
  )
}

const UsageSkeleton = () => (
  <>
    <Skeleton className="h-13 max-sm:h-30" />
    <BarChartSkeleton />
  </>
)

const UsageChart = ({ usage: { totals, daily } }: { usage: DeploymentUsage }) => (
  <>
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
      <Figure name={t('overview.replies')} value={formatNumber(totals.messages)} />
      <Figure name={t('overview.credits')} value={formatCredits(totals.credits)} />
      <Figure name={t('overview.inputTokens')} value={formatCompact(totals.input_tokens)} />
      <Figure name={t('overview.outputTokens')} value={formatCompact(totals.output_tokens)} />
    </dl>
    {totals.messages === 0 ? (
      <p className="rounded-xl bg-surface px-4 py-8 text-center text-sm text-muted">
        {t('overview.noReplies')}
      </p>
    ) : (
      <BarChart
        label={t('overview.chart')}
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
      title={t('overview.details')}
      actions={
        <Link
          from="/deployments/$deploymentId"
          to="."
          search={(search) => ({ ...search, tab: 'install' })}
          className={buttonLook('secondary', 'small')}
        >
          {t(type === 'api' ? 'new.showApi' : 'new.showCode')}
        </Link>
      }
    >
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        <Fact name={t('overview.limit')}>
          {limit === undefined ? t('overview.noLimit') : t('overview.perDay', { count: limit })}
        </Fact>
        {type !== 'api' && (
          <Fact name={t('overview.websites')}>
            {origins.length === 0 ? t('overview.anyWebsite') : formatList(origins)}
          </Fact>
        )}
        <Fact name={t('overview.key')}>
          <code className="font-mono">{api_key_prefix}…</code>
        </Fact>
        <Fact name={t('overview.created')}>{formatDate(created_at)}</Fact>
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

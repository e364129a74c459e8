import type { Usage } from '@parley/client/schemas'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ChartNoAxesColumn } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { BarChart, BarChartSkeleton } from '../../ui/chart.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { formatCredits, formatDay, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import type { ShowUsage } from './search-params.ts'
import { USAGE_DAYS, USAGE_GROUPS } from './search-params.ts'
import { everyDay, periodOf } from './usage-period.ts'

const t = translator('billing')

type Group = (typeof USAGE_GROUPS)[number]

/** The usage of recent days, by day and grouped by a field that the user chooses. */
export function UsageOverview({ show }: { show: ShowUsage }) {
  const { organization } = useHere()
  const { days = 30, by = 'model' } = useSearch({ from: '/app/usage' })
  const period = { org_id: organization.id, ...periodOf(days) }
  const byDay = useQuery({ ...read('GET /api/billing/usage', period), placeholderData: keepPreviousData })
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-52">
          <SelectField
            label={t('overview.period')}
            value={days}
            onChange={({ target }) => show({ days: USAGE_DAYS.find((one) => one === Number(target.value)) })}
          >
            {USAGE_DAYS.map((one) => (
              <option key={one} value={one}>
                {t('overview.days', { count: one })}
              </option>
            ))}
          </SelectField>
        </div>
        <DownloadButton
          path="/api/billing/usage"
          query={{ ...period, group_by: `day,${by}` }}
          accept="text/csv"
          name="usage.csv"
        >
          {t('overview.download')}
        </DownloadButton>
      </div>
      <Section title={t('overview.byDay')} description={t('overview.byDayUnit')}>
        <Loaded query={byDay} skeleton={<DaysSkeleton />}>
          {(usage) => <ByDay usage={usage} />}
        </Loaded>
      </Section>
      <ByGroup period={period} by={by} show={show} />
    </>
  )
}

const DaysSkeleton = () => (
  <>
    <Skeleton className="h-5 max-w-md max-sm:h-10" />
    <BarChartSkeleton />
  </>
)

const ByDay = ({ usage }: { usage: Usage }) =>
  usage.totals.messages === 0 ? (
    <Empty icon={ChartNoAxesColumn} title={t('overview.empty')}>
      {t('overview.emptyHint')}
    </Empty>
  ) : (
    <>
      <p className="text-sm text-muted">
        {t('overview.summary', {
          count: usage.totals.credits,
          credits: formatCredits(usage.totals.credits),
          replies: usage.totals.messages,
          input: usage.totals.input_tokens,
          output: usage.totals.output_tokens,
        })}
      </p>
      <BarChart
        label={t('overview.chart')}
        bars={everyDay(usage, usage.rows).map(({ label, value }) => ({ label: formatDay(label), value }))}
        format={formatCredits}
      />
    </>
  )

interface ByGroupProps {
  period: { org_id: string; from: string; to: string }
  by: Group
  show: ShowUsage
}

function ByGroup({ period, by, show }: ByGroupProps) {
  const usage = useQuery({
    ...read('GET /api/billing/usage', { ...period, group_by: by }),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-label={t('overview.groups')} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 className="font-semibold">{t(`usageBy.${by}`)}</h2>
        <div className="w-52">
          <SelectField
            label={t('overview.groupBy')}
            value={by}
            onChange={({ target }) => show({ by: USAGE_GROUPS.find((one) => one === target.value) })}
          >
            {USAGE_GROUPS.map((one) => (
              <option key={one} value={one}>
                {t(`group.${one}`)}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <Loaded query={usage} skeleton={<TableSkeleton columns={5} rows={4} />}>
        {({ rows, group_by }) => <Groups rows={rows} by={group_by[0] as Group} />}
      </Loaded>
    </section>
  )
}

const LISTED_MAX = 100

type UsageRow = Usage['rows'][number]

const Groups = ({ rows, by }: { rows: UsageRow[]; by: Group }) =>
  rows.length === 0 ? (
    <p className="text-sm text-muted">{t('overview.empty')}</p>
  ) : (
    <>
      <Table
        label={t(`usageBy.${by}`)}
        rows={rows.slice(0, LISTED_MAX)}
        keyOf={(row) => idOf(row, by) ?? ''}
        columns={[
          {
            header: t(`group.${by}`),
            cell: (row) => <span className="wrap-anywhere">{nameOf(row, by)}</span>,
          },
          { header: t('overview.replies'), cell: ({ messages }) => formatNumber(messages), numeric: true },
          {
            header: t('overview.inputTokens'),
            cell: (row) => formatNumber(row.input_tokens),
            numeric: true,
            wideOnly: true,
          },
          {
            header: t('overview.outputTokens'),
            cell: (row) => formatNumber(row.output_tokens),
            numeric: true,
            wideOnly: true,
          },
          { header: t('overview.credits'), cell: ({ credits }) => formatCredits(credits), numeric: true },
        ]}
      />
      {rows.length > LISTED_MAX && (
        <p className="text-sm text-muted">{t('overview.first', { shown: LISTED_MAX, total: rows.length })}</p>
      )}
    </>
  )

const idOf = (row: UsageRow, by: Group): string | null | undefined => row[`${by}_id`]

function nameOf(row: UsageRow, by: Group): string {
  if (idOf(row, by) === null) return t(by === 'user' ? 'overview.noMember' : 'overview.none')
  const name = by === 'user' ? row.user_email : row[`${by}_name`]
  return name ?? t('overview.unknown')
}

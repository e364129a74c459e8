import type { Usage } from '@parley/client/schemas'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ChartNoAxesColumn } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { BarChart } from '../../ui/chart.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { formatCredits, formatDay, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import type { ShowUsage } from './search-params.ts'
import { USAGE_DAYS, USAGE_GROUPS } from './search-params.ts'
import { everyDay, periodOf } from './usage-period.ts'

type Group = (typeof USAGE_GROUPS)[number]

const GROUP_TEXTS: Record<Group, string> = {
  model: 'Model',
  user: 'Member',
  agent: 'Agent',
  deployment: 'Deployment',
  api_key: 'API key',
}

/** What was used in the last days: by day, and by what or whom. */
export function UsageOverview({ show }: { show: ShowUsage }) {
  const { organization } = useHere()
  const { days = 30, by = 'model' } = useSearch({ from: '/app/usage' })
  const period = { org_id: organization.id, ...periodOf(days) }
  const byDay = useQuery({ ...read('GET /api/billing/usage', period), placeholderData: keepPreviousData })
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="w-44">
          <SelectField
            label="Period"
            value={days}
            onChange={({ target }) => show({ days: USAGE_DAYS.find((one) => one === Number(target.value)) })}
          >
            {USAGE_DAYS.map((one) => (
              <option key={one} value={one}>
                Last {one} days
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
          Download CSV
        </DownloadButton>
      </div>
      <Section title="By day" description="Credits, days of UTC">
        <Loaded query={byDay} skeleton={<Skeleton className="h-48" />}>
          {(usage) => <ByDay usage={usage} />}
        </Loaded>
      </Section>
      <ByGroup period={period} by={by} show={show} />
    </>
  )
}

const ByDay = ({ usage }: { usage: Usage }) =>
  usage.totals.messages === 0 ? (
    <Empty icon={ChartNoAxesColumn} title="Nothing was used in this time">
      Each reply of a model is counted here, with its tokens and what it cost.
    </Empty>
  ) : (
    <>
      <p className="text-sm text-muted">
        {formatCredits(usage.totals.credits)} credits for {formatNumber(usage.totals.messages)}{' '}
        {usage.totals.messages === 1 ? 'reply' : 'replies'}: {formatNumber(usage.totals.input_tokens)} tokens
        in, {formatNumber(usage.totals.output_tokens)} out
      </p>
      <BarChart
        label="Credits by day"
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
    <section aria-label="In groups" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 className="font-semibold">
          By {GROUP_TEXTS[by].replace(/^[AMD](?!PI)/, (first) => first.toLowerCase())}
        </h2>
        <div className="w-44">
          <SelectField
            label="Group by"
            value={by}
            onChange={({ target }) => show({ by: USAGE_GROUPS.find((one) => one === target.value) })}
          >
            {USAGE_GROUPS.map((one) => (
              <option key={one} value={one}>
                {GROUP_TEXTS[one]}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <Loaded query={usage}>
        {({ rows, group_by }) => <Groups rows={rows} by={group_by[0] as Group} />}
      </Loaded>
    </section>
  )
}

const LISTED_MAX = 100

type UsageRow = Usage['rows'][number]

const Groups = ({ rows, by }: { rows: UsageRow[]; by: Group }) =>
  rows.length === 0 ? (
    <p className="text-sm text-muted">Nothing in this time.</p>
  ) : (
    <>
      <Table
        label={`Usage by ${GROUP_TEXTS[by]}`}
        rows={rows.slice(0, LISTED_MAX)}
        keyOf={(row) => idOf(row, by) ?? ''}
        columns={[
          {
            header: GROUP_TEXTS[by],
            cell: (row) => <span className="wrap-anywhere">{nameOf(row, by)}</span>,
          },
          { header: 'Replies', cell: ({ messages }) => formatNumber(messages), numeric: true },
          {
            header: 'Tokens in',
            cell: (row) => formatNumber(row.input_tokens),
            numeric: true,
            wideOnly: true,
          },
          {
            header: 'Tokens out',
            cell: (row) => formatNumber(row.output_tokens),
            numeric: true,
            wideOnly: true,
          },
          { header: 'Credits', cell: ({ credits }) => formatCredits(credits), numeric: true },
        ]}
      />
      {rows.length > LISTED_MAX && (
        <p className="text-sm text-muted">
          The first {LISTED_MAX} of {formatNumber(rows.length)}. All are in the CSV.
        </p>
      )}
    </>
  )

const idOf = (row: UsageRow, by: Group): string | null | undefined => row[`${by}_id`]

function nameOf(row: UsageRow, by: Group): string {
  if (idOf(row, by) === null) return by === 'user' ? 'Visitors and the system' : 'None'
  const name = by === 'user' ? row.user_email : row[`${by}_name`]
  return name ?? 'Deleted, or of another organization'
}

import type { FeaturesInUse } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Bar } from '../../ui/chart.tsx'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'

/** What the organization may use, and what of it is used. */
export function FeaturesSection() {
  const { organization } = useHere()
  const features = useQuery(read('GET /api/org/features', { org_id: organization.id }))
  return (
    <Section title="Limits and use" description="The administrator of this installation sets the limits.">
      <Loaded query={features} skeleton={<Skeleton className="h-40" />}>
        {(found) => (
          <>
            <ul aria-label="Limits and use" className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
              {usesOf(found).map((use) => (
                <UseLine key={use.name} {...use} />
              ))}
            </ul>
            <p className="text-sm text-muted">
              A chat takes {formatNumber(found.chat_uploads)} files at most. Adding people who have an account
              is {found.team_members ? 'on' : 'off'}.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  )
}

interface Use {
  name: string
  used: number
  /** Null: there is none. */
  limit: number | null
  format: (value: number) => string
}

const usesOf = ({ usage, ...limits }: FeaturesInUse): Use[] => [
  {
    name: 'Messages today',
    used: usage.messages_today,
    limit: limits.daily_chat_limit,
    format: formatNumber,
  },
  { name: 'Storage of files', used: usage.stored_bytes, limit: limits.file_upload, format: formatBytes },
  { name: 'Connections (MCP)', used: usage.mcp_sessions, limit: limits.mcp_sessions, format: formatNumber },
  { name: 'Members', used: usage.members, limit: null, format: formatNumber },
]

const UseLine = ({ name, used, limit, format }: Use) => {
  const isFull = limit !== null && used >= limit
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex justify-between gap-4 text-sm">
        <span>{name}</span>
        <span className={isFull ? 'text-danger' : 'text-muted'}>
          {format(used)} {limit === null ? '(no limit)' : `of ${format(limit)}`}
        </span>
      </div>
      {limit !== null && <Bar share={limit === 0 ? 1 : used / limit} tone={isFull ? 'danger' : 'accent'} />}
    </li>
  )
}

import type { FeaturesInUse } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Bar } from '../../ui/bar.tsx'
import { formatBytes, formatNumber } from '../../ui/format.ts'
import { Section } from '../../ui/page.tsx'
import { Loaded, Skeleton } from '../../ui/states.tsx'

const t = translator('organization')

export function FeaturesSection() {
  const { organization } = useHere()
  const features = useQuery(read('GET /api/org/features', { org_id: organization.id }))
  return (
    <Section title={t('limits.title')} description={t('limits.description')}>
      <Loaded query={features} skeleton={<Skeleton className="h-40" />}>
        {(found) => (
          <>
            <ul aria-label={t('limits.title')} className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
              {usesOf(found).map((use) => (
                <UseLine key={use.name} {...use} />
              ))}
            </ul>
            <p className="text-sm text-muted">
              {t('limits.uploads', { count: found.chat_uploads })}{' '}
              {t(found.team_members ? 'limits.addingOn' : 'limits.addingOff')}
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
  /** The limit. Null if there is none. */
  limit: number | null
  format: (value: number) => string
}

const usesOf = ({ usage, ...limits }: FeaturesInUse): Use[] => [
  {
    name: t('limits.messagesToday'),
    used: usage.messages_today,
    limit: limits.daily_chat_limit,
    format: formatNumber,
  },
  { name: t('limits.storage'), used: usage.stored_bytes, limit: limits.file_upload, format: formatBytes },
  {
    name: t('limits.connections'),
    used: usage.mcp_sessions,
    limit: limits.mcp_sessions,
    format: formatNumber,
  },
  { name: t('limits.members'), used: usage.members, limit: null, format: formatNumber },
]

const UseLine = ({ name, used, limit, format }: Use) => {
  const isFull = limit !== null && used >= limit
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex justify-between gap-4 text-sm">
        <span>{name}</span>
        <span className={isFull ? 'text-danger' : 'text-muted'}>
          {limit === null
            ? t('limits.unlimited', { used: format(used) })
            : t('limits.usedOf', { used: format(used), limit: format(limit) })}
        </span>
      </div>
      {limit !== null && <Bar share={limit === 0 ? 1 : used / limit} tone={isFull ? 'danger' : 'accent'} />}
    </li>
  )
}

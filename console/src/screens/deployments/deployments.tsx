import type { Deployment } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Rocket } from 'lucide-react'
import { useState } from 'react'
import { read, readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { errorText } from '../../ui/error-text.ts'
import { formatNumber } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty, Skeleton } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { AgentName } from './agents.tsx'
import { TONES } from './deployment-words.ts'
import { NewDeploymentDialog } from './new-deployment-dialog.tsx'

const t = translator('deployments')

export function Deployments() {
  const { organization, may } = useHere()
  const { q = '', agent_id } = useSearch({ from: '/app/deployments' })
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const deployments = useInfiniteQuery({
    ...readPages('GET /api/agent_deploy/list', { org_id: organization.id, ...(q && { q }), limit: 20 }),
    placeholderData: keepPreviousData,
  })
  const close = () => {
    setCreating(false)
    if (agent_id !== undefined)
      void navigate({
        from: '/deployments',
        search: (before) => ({ ...before, agent_id: undefined }),
        replace: true,
      })
  }
  const add = may('agent:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('create')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={(q !== '' || deployments.data?.length !== 0) && add}
    >
      <SearchedList
        query={deployments}
        q={q}
        label={t('search')}
        skeleton={<TableSkeleton columns={5} />}
        empty={
          <Empty icon={Rocket} title={t('empty')} action={add}>
            {t('emptyHint', { organization: organization.name })}
          </Empty>
        }
      >
        {(all) => <DeploymentTable deployments={all} />}
      </SearchedList>
      <NewDeploymentDialog
        open={may('agent:write') && (isCreating || agent_id !== undefined)}
        agentId={agent_id}
        onClose={close}
      />
    </Page>
  )
}

const DeploymentTable = ({ deployments }: { deployments: Deployment[] }) => (
  <Table
    label={t('title')}
    rows={deployments}
    keyOf={({ id }) => id}
    columns={[
      { header: t('name'), cell: (deployment) => <DeploymentName deployment={deployment} /> },
      { header: t('agent'), wideOnly: true, cell: ({ agent_id }) => <AgentName id={agent_id} /> },
      {
        header: t('type'),
        wideOnly: true,
        cell: ({ deployment_type: type }) => <span className="text-muted">{t(`types.${type}`)}</span>,
      },
      {
        header: t('status'),
        cell: ({ status }) => <Badge tone={TONES[status]}>{t(`statuses.${status}`)}</Badge>,
      },
      { header: t('today'), numeric: true, cell: (deployment) => <MessagesToday deployment={deployment} /> },
    ]}
  />
)

const DeploymentName = ({ deployment: { id, name, description } }: { deployment: Deployment }) => (
  <div className="flex min-w-0 items-start gap-3">
    <Avatar id={id} name={name} size="medium" />
    <div className="flex min-w-0 flex-col">
      <Link
        to="/deployments/$deploymentId"
        params={{ deploymentId: id }}
        className="font-medium wrap-anywhere text-accent hover:underline"
      >
        {name}
      </Link>
      {description && <span className="line-clamp-2 max-w-md wrap-anywhere text-muted">{description}</span>}
    </div>
  </div>
)

/** The number of replies since midnight (UTC), and the daily limit if there is one. */
function MessagesToday({ deployment: { id, config } }: { deployment: Deployment }) {
  const today = new Date().toISOString().slice(0, 10)
  const usage = useQuery(read('GET /api/agent_deploy/usage', { deployment_id: id, from: today, to: today }))
  const limit = config.daily_message_limit
  if (usage.error) return <span title={errorText(usage.error)}>–</span>
  if (!usage.data) return <Skeleton className="ml-auto h-4 w-8" />
  return (
    <span className="whitespace-nowrap" title={t('repliesToday')}>
      {limit === undefined
        ? formatNumber(usage.data.totals.messages)
        : t.rich('usedOf', {
            used: formatNumber(usage.data.totals.messages),
            limit: formatNumber(limit),
            rest: (text) => <span className="text-muted">{text}</span>,
          })}
    </span>
  )
}

import type { Deployment } from '@parley/client/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Rocket } from 'lucide-react'
import { useState } from 'react'
import { read, readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More, Skeleton } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { AgentName } from './agents.tsx'
import { STATES, TYPES } from './deployment-words.ts'
import { NewDeploymentDialog } from './new-deployment-dialog.tsx'

/** Where the organization's agents answer people from outside. */
export function Deployments() {
  const { organization, may } = useHere()
  const { agent_id } = useSearch({ from: '/app/deployments' })
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const deployments = useInfiniteQuery(
    readPages('GET /api/agent_deploy/list', { org_id: organization.id, limit: 20 }),
  )
  const close = () => {
    setMaking(false)
    if (agent_id !== undefined) void navigate({ to: '/deployments', search: {}, replace: true })
  }
  const add = may('agent:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New deployment
    </Button>
  )
  return (
    <Page
      title="Deployments"
      description="A deployment puts an agent where people without an account meet it: on a website, or in a program."
      actions={deployments.data && deployments.data.length > 0 && add}
    >
      <Loaded query={deployments}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={Rocket} title="No deployments yet" action={add}>
              Let visitors of your website chat with an agent, or let your own program ask it.{' '}
              {organization.name} pays for the messages, and a daily limit keeps that within bounds.
            </Empty>
          ) : (
            <>
              <DeploymentTable deployments={all} />
              <More query={deployments} />
            </>
          )
        }
      </Loaded>
      <NewDeploymentDialog
        open={may('agent:write') && (isMaking || agent_id !== undefined)}
        agentId={agent_id}
        onClose={close}
      />
    </Page>
  )
}

const DeploymentTable = ({ deployments }: { deployments: Deployment[] }) => (
  <Table
    label="Deployments"
    rows={deployments}
    keyOf={({ id }) => id}
    columns={[
      { header: 'Deployment', cell: (deployment) => <DeploymentName deployment={deployment} /> },
      { header: 'Agent', wideOnly: true, cell: ({ agent_id }) => <AgentName id={agent_id} /> },
      {
        header: 'Type',
        wideOnly: true,
        cell: ({ deployment_type: type }) => <span className="text-muted">{TYPES[type].name}</span>,
      },
      {
        header: 'State',
        cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].word}</Badge>,
      },
      { header: 'Today', numeric: true, cell: (deployment) => <MessagesToday deployment={deployment} /> },
    ]}
  />
)

const DeploymentName = ({ deployment: { id, name, description } }: { deployment: Deployment }) => (
  <div className="flex min-w-0 flex-col">
    <Link
      to="/deployments/$deploymentId"
      params={{ deploymentId: id }}
      className="font-medium wrap-anywhere text-accent hover:underline"
    >
      {name}
    </Link>
    {description && <span className="line-clamp-1 max-w-md wrap-anywhere text-muted">{description}</span>}
  </div>
)

/** Replies of this day (UTC), and how many it may have. */
function MessagesToday({ deployment: { id, config } }: { deployment: Deployment }) {
  const today = new Date().toISOString().slice(0, 10)
  const usage = useQuery(read('GET /api/agent_deploy/usage', { deployment_id: id, from: today, to: today }))
  const limit = config.daily_message_limit
  if (usage.error) return <span title={usage.error.message}>–</span>
  if (!usage.data) return <Skeleton className="ml-auto h-4 w-8" />
  return (
    <span className="whitespace-nowrap" title="Replies today (UTC)">
      {formatNumber(usage.data.totals.messages)}
      {limit !== undefined && <span className="text-muted"> of {formatNumber(limit)}</span>}
    </span>
  )
}

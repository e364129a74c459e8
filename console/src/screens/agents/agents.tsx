import type { Agent } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Bot, Plus } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useModels } from '../../shell/models.ts'
import { useHere } from '../../shell/organization.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatList } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { SearchedList } from '../../ui/searched-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'

const t = translator('agents')

export function Agents() {
  const { organization, may } = useHere()
  const { q = '', create = false } = useSearch({ from: '/app/agents' })
  const navigate = useNavigate()
  const setMaking = (is: boolean) =>
    void navigate({
      from: '/agents',
      search: (before) => ({ ...before, create: is || undefined }),
      replace: !is,
    })
  const agents = useInfiniteQuery({
    ...readPages('GET /api/agents/list', { org_id: organization.id, ...(q && { q }), limit: 50 }),
    placeholderData: keepPreviousData,
  })
  const add = may('agent:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      {t('create.action')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('list.description')}
      actions={(q !== '' || agents.data?.length !== 0) && add}
    >
      <SearchedList
        query={agents}
        q={q}
        label={t('list.search')}
        skeleton={<TableSkeleton columns={5} />}
        empty={
          <Empty icon={Bot} title={t('list.emptyTitle')} action={add}>
            {t('list.empty', { organization: organization.name })}
          </Empty>
        }
      >
        {(all) => <AgentTable agents={all} />}
      </SearchedList>
      {create && may('agent:write') && <NewAgentDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function AgentTable({ agents }: { agents: Agent[] }) {
  const { models, isLoading } = useModels(agents.map(({ model_id }) => model_id).filter((id) => id !== null))
  const modelName = ({ model_id }: Agent) =>
    models.find(({ id }) => id === model_id)?.name ?? (isLoading ? '' : t('list.unknownModel'))
  return (
    <Table
      label={t('title')}
      rows={agents}
      keyOf={({ id }) => id}
      columns={[
        { header: t('agent'), cell: (agent) => <AgentName agent={agent} /> },
        {
          header: t('list.model'),
          wideOnly: true,
          cell: (agent) => (
            <span title={modelName(agent)} className="block max-w-48 truncate">
              {modelName(agent)}
            </span>
          ),
        },
        { header: t('list.has'), wideOnly: true, cell: (agent) => <Belongings agent={agent} /> },
        {
          header: t('list.status'),
          cell: ({ is_active, is_public }) => (
            <div className="flex flex-wrap gap-1.5">
              {is_active ? <Badge tone="success">{t('active')}</Badge> : <Badge>{t('inactive')}</Badge>}
              {is_public && <Badge tone="accent">{t('public')}</Badge>}
            </div>
          ),
        },
        { header: t('list.updated'), wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      ]}
    />
  )
}

const AgentName = ({ agent }: { agent: Agent }) => (
  <div className="flex min-w-0 items-start gap-3">
    <Avatar id={agent.id} name={agent.name} size="medium" />
    <div className="flex min-w-0 flex-col">
      <Link
        to="/agents/$agentId"
        params={{ agentId: agent.id }}
        className="font-medium wrap-anywhere text-accent hover:underline"
      >
        {agent.name}
      </Link>
      <span className="line-clamp-2 max-w-md wrap-anywhere text-muted">{agent.description}</span>
    </div>
  </div>
)

function Belongings({ agent }: { agent: Agent }) {
  const counts = {
    tools: agent.tools.length,
    knowledgeBases: agent.knowledge_base_ids.length,
    connections: agent.mcp_instance_ids.length,
  }
  const parts = (['tools', 'knowledgeBases', 'connections'] as const)
    .filter((part) => counts[part] > 0)
    .map((part) => t(`list.${part}`, { count: counts[part] }))
  return <span className="text-muted">{parts.length > 0 ? formatList(parts) : t('list.nothing')}</span>
}

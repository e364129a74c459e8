import type { Agent } from '@parley/client/schemas'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Bot, Plus } from 'lucide-react'
import { useState } from 'react'
import { read, readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'

/** From so many on they are searched. */
const SEARCHED_FROM = 8

/** The organization's agents. */
export function Agents() {
  const { organization, may } = useHere()
  const { q = '' } = useSearch({ from: '/app/agents' })
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const agents = useInfiniteQuery(readPages('GET /api/agents/list', { org_id: organization.id, limit: 50 }))
  const add = may('agent:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
      New agent
    </Button>
  )
  return (
    <Page
      title="Agents"
      description="An agent is a model with a task, and with the tools and knowledge that it needs for it."
      actions={agents.data && agents.data.length > 0 && add}
    >
      <Loaded query={agents}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={Bot} title="No agents yet" action={add}>
              Give a model instructions, tools and knowledge once, and everybody in {organization.name} can
              talk to it. Deployed, it also answers on web pages and to programs.
            </Empty>
          ) : (
            <>
              {(all.length >= SEARCHED_FROM || q !== '') && (
                <div className="max-w-xs">
                  <TextField
                    label="Find by name or purpose"
                    type="search"
                    value={q}
                    onChange={({ target }) =>
                      void navigate({ to: '.', search: { q: target.value }, replace: true })
                    }
                  />
                </div>
              )}
              <AgentTable agents={all.filter((agent) => matches(agent, q))} />
              <More query={agents} />
            </>
          )
        }
      </Loaded>
      {isMaking && <NewAgentDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

const matches = ({ name, description }: Agent, q: string): boolean =>
  `${name}\n${description}`.toLowerCase().includes(q.trim().toLowerCase())

function AgentTable({ agents }: { agents: Agent[] }) {
  const { organization } = useHere()
  const models = useQuery(read('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  const modelName = ({ model_id }: Agent) =>
    models.data?.data.find(({ id }) => id === model_id)?.name ?? (models.isPending ? '' : 'Unknown model')
  if (agents.length === 0) return <p className="text-sm text-muted">No agent of that name or purpose.</p>
  return (
    <Table
      label="Agents"
      rows={agents}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Agent', cell: (agent) => <AgentName agent={agent} /> },
        { header: 'Model', wideOnly: true, cell: (agent) => modelName(agent) },
        { header: 'Has', wideOnly: true, cell: (agent) => <Belongings agent={agent} /> },
        {
          header: 'State',
          cell: ({ is_active, is_public }) => (
            <div className="flex flex-wrap gap-1.5">
              {is_active ? <Badge tone="success">Active</Badge> : <Badge>Inactive</Badge>}
              {is_public && <Badge tone="accent">Public</Badge>}
            </div>
          ),
        },
        { header: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
      ]}
    />
  )
}

const AgentName = ({ agent }: { agent: Agent }) => (
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
)

function Belongings({ agent }: { agent: Agent }) {
  const parts = [
    countOf(agent.tools.length, 'tool'),
    countOf(agent.knowledge_base_ids.length, 'knowledge base'),
    countOf(agent.mcp_instance_ids.length, 'connection'),
  ].filter((part) => part !== null)
  return <span className="text-muted">{parts.join(', ') || 'No tools or knowledge'}</span>
}

const countOf = (count: number, thing: string): string | null =>
  count === 0 ? null : `${count} ${thing}${count === 1 ? '' : 's'}`

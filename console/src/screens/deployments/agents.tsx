import { useInfiniteQuery } from '@tanstack/react-query'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CHOICES_PAGE } from '../../ui/choices.ts'
import { Skeleton } from '../../ui/states.tsx'

const t = translator('deployments')

/** Returns the organization's newest agents, and the agent with an id. */
export function useAgents(id: string | undefined) {
  const { organization } = useHere()
  const newest = useInfiniteQuery(
    readPages('GET /api/agents/list', { org_id: organization.id, limit: CHOICES_PAGE }),
  )
  const { records, isLoading } = useRecords(id === undefined ? [] : [id], newest.data, (agent_id) =>
    read('GET /api/agents/get', { agent_id }),
  )
  return { newest, agent: records.find((agent) => agent.id === id), isLoading: newest.isLoading || isLoading }
}

export function AgentName({ id }: { id: string }) {
  const { agent, isLoading } = useAgents(id)
  if (agent) return <span className="wrap-anywhere">{agent.name}</span>
  if (!isLoading) return <span className="text-muted">{t('unknownAgent')}</span>
  return <Skeleton className="h-4 w-24" />
}

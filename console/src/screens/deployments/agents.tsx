import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { read, readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Skeleton } from '../../ui/states.tsx'

const t = translator('deployments')

/** Returns a query of the organization's agents, newest first, in pages of 100. */
export function useAgents() {
  const { organization } = useHere()
  return useInfiniteQuery(readPages('GET /api/agents/list', { org_id: organization.id, limit: 100 }))
}

/** Shows an agent's name. Requests the agent if it is not among the loaded agents. */
export function AgentName({ id }: { id: string }) {
  const known = useAgents()
  const found = known.data?.find((agent) => agent.id === id)
  const single = useQuery({
    ...read('GET /api/agents/get', { agent_id: id }),
    enabled: known.data !== undefined && !found,
  })
  const name = (found ?? single.data)?.name
  if (name !== undefined) return <span className="wrap-anywhere">{name}</span>
  if (single.error ?? known.error) return <span className="text-muted">{t('unknownAgent')}</span>
  return <Skeleton className="h-4 w-24" />
}

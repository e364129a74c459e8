import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

/** Number of items in each list on the home page. */
const SHOWN_MAX = 5

/** These queries are shared by the lists and the setup steps, so that each request is sent once. */
export function useNewestChats() {
  const { organization, may } = useHere()
  return useQuery({
    ...read('GET /api/chat/list', { org_id: organization.id, status: 'ACTIVE', limit: SHOWN_MAX }),
    enabled: may('chats:read'),
  })
}

export function useNewestAgents() {
  const { organization, may } = useHere()
  return useQuery({
    ...read('GET /api/agents/list', { org_id: organization.id, limit: SHOWN_MAX }),
    enabled: may('agent:read'),
  })
}

export function useNewestKnowledgeBases() {
  const { organization, may } = useHere()
  return useQuery({
    ...read('GET /api/kb/list', { org_id: organization.id, limit: SHOWN_MAX }),
    enabled: may('kb:read'),
  })
}

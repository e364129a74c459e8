import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

/** So many of a kind are shown at the start. */
const SHOWN_MAX = 5

/** The same questions for what is shown and for what is done already: they are asked once. */
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

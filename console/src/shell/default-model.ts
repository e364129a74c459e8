import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { useHere } from './organization.tsx'

/** Returns the query of the default models: the user's own, the organization's, and the one that applies. */
export function useDefaultModels() {
  const { organization, may } = useHere()
  return useQuery({
    ...read('GET /api/llm/defaults', { org_id: organization.id }),
    enabled: may('organization:read'),
  })
}

/** Returns the id of the model that new chats and agents start with. Null if there is none or it is not loaded. */
export const useDefaultModel = (): string | null => useDefaultModels().data?.model_id ?? null

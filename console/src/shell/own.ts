import { type QueryClient, useQuery } from '@tanstack/react-query'
import { read, readPages } from '../api/queries.ts'
import { useHere } from './organization.tsx'

/** The signed-in user. */
export const OWN_USER = read('GET /api/users/me', {})
/** The organizations of the signed-in user. */
export const OWN_ORGANIZATIONS = readPages('GET /api/org/list', { limit: 100 })

/** Starts loading what every page of the shell needs. */
export function loadOwn(client: QueryClient): void {
  void client.prefetchQuery(OWN_USER)
  void client.prefetchInfiniteQuery(OWN_ORGANIZATIONS)
}

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

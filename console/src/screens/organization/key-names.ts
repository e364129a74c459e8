import { useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

/** The newest 100 API keys of the organization; none without the permission to list them. */
export function useKeyNames() {
  const { organization, may } = useHere()
  const keys = useInfiniteQuery({
    ...readPages('GET /api/api_keys/list', { org_id: organization.id, limit: 100 }),
    enabled: may('organization:admin'),
  })
  return {
    keys: keys.data ?? [],
    keyNameOf: (id: string): string | null => keys.data?.find((key) => key.id === id)?.name ?? null,
  }
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

/**
 * Returns the organization's newest 100 API keys, and a function that returns a key's name. Without the permission to
 * list keys, the list is empty.
 */
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

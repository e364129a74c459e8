import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { readPages } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

/**
 * Returns the tools that the organization can use. The API lists the tools of all organizations that the user belongs
 * to, so private tools of the other organizations are removed.
 *
 * @param q words that the name must contain
 */
export function useTools(q: string) {
  const { organization } = useHere()
  const query = useInfiniteQuery({
    ...readPages('GET /api/tools/list_all', { ...(q && { q }), limit: 100 }),
    placeholderData: keepPreviousData,
  })
  const tools = query.data?.filter((tool) => tool.organization_id === organization.id || tool.is_public)
  return { ...query, data: tools }
}

export function useCategories() {
  const { organization } = useHere()
  const query = useInfiniteQuery(readPages('GET /api/tools/list_categories', { limit: 100 }))
  const categories = query.data?.filter(({ organization_id }) => organization_id === organization.id)
  return { ...query, data: categories }
}

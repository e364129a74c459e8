import type { QueryClient } from '@tanstack/react-query'
import { read, readPages } from '../api/queries.ts'

/** The signed-in user. */
export const OWN_USER = read('GET /api/users/me', {})
/** The organizations of the signed-in user. */
export const OWN_ORGANIZATIONS = readPages('GET /api/org/list', { limit: 100 })

/** Starts loading what every page of the shell needs. */
export function loadOwn(client: QueryClient): void {
  void client.prefetchQuery(OWN_USER)
  void client.prefetchInfiniteQuery(OWN_ORGANIZATIONS)
}

import { useQuery } from '@tanstack/react-query'
import { read } from './queries.ts'

/** Returns whether the installation sends email. If it does not, links reach nobody unless someone passes them on. */
export const useSendsEmail = (): boolean => useQuery(read('GET /api/auth/methods', {})).data?.email !== false

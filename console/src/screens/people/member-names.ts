import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'

const LISTED_MAX = 100

export interface MemberName {
  id: string
  name: string
  email: string
}

/** The members of the organization, for choosing from and to name what has an id: the first hundred of each status. */
export function useMemberNames() {
  const { organization, may } = useHere()
  const ask = (status: 'active' | 'suspended') => ({
    ...read('GET /api/users/list', { org_id: organization.id, status, limit: LISTED_MAX }),
    enabled: may('users:read'),
  })
  const active = useQuery(ask('active'))
  const suspended = useQuery(ask('suspended'))
  const members = [...(active.data?.users ?? []), ...(suspended.data?.users ?? [])].flatMap(
    ({ id, full_name, email }): MemberName[] => (id === null ? [] : [{ id, name: full_name, email }]),
  )
  return {
    members,
    /** Null: who is no member any more, or one of very many. */
    nameOf: (id: string): string | null => members.find((member) => member.id === id)?.name ?? null,
  }
}

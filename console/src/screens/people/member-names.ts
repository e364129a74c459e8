import type { UserList } from '@parley/client/schemas'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'

const t = translator('people')

const PAGE = 100
const LISTED_MAX = 500

export interface MemberName {
  id: string
  name: string
  email: string
}

/** Returns the members' names: those of up to 500 active and 500 suspended members. */
export function useMemberNames() {
  const { organization, may } = useHere()
  const ask = (status: Status) => ({ ...readAll(organization.id, status), enabled: may('users:read') })
  const active = useQuery(ask('active'))
  const suspended = useQuery(ask('suspended'))
  const members = [...(active.data ?? []), ...(suspended.data ?? [])].flatMap(
    ({ id, full_name, email }): MemberName[] =>
      id === null ? [] : [{ id, name: full_name || email || t('unnamed', { id }), email }],
  )
  return {
    members,
    /** Returns a member's name. Returns null for former members and for members that are not among those loaded. */
    nameOf: (id: string): string | null => members.find((member) => member.id === id)?.name ?? null,
  }
}

type Status = 'active' | 'suspended'

const readAll = (org_id: string, status: Status) =>
  queryOptions({
    queryKey: ['GET /api/users/list', { org_id, status }, 'all'],
    queryFn: async ({ signal }) => {
      const members: UserList['users'] = []
      for (;;) {
        const query = { org_id, status, limit: PAGE, offset: members.length }
        const { users, total } = await api.request('GET /api/users/list', { query, signal })
        members.push(...users)
        if (users.length === 0 || members.length >= Math.min(total, LISTED_MAX)) return members
      }
    },
  })

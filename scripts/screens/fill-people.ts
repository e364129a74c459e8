import type { Person } from '#tests/support/client.ts'
import { addressOf, PASSWORD, personOf, type Shop } from './shop.ts'

/** The members of the shop, and a pending invitation. */
export interface People {
  jonas: Person
  ines: Person
  /** The token of an invitation that is not accepted yet. */
  invitationToken: string
}

export async function fillPeople(shop: Shop): Promise<People> {
  const { team } = shop
  await makeBookkeepers(shop)
  const { data } = await team.api('GET', '/api/roles/list_roles?limit=100')
  const roles = new Map<string, string>(data.map(({ name, id }: Record<string, string>) => [name, id]))
  const invite = (name: string, role: string) =>
    team.api('POST', '/api/invitations/create', { email: addressOf(name), role_id: roles.get(role) })
  const join = async (first_name: string, last_name: string, role: string): Promise<Person> => {
    const { email, token } = await invite(first_name.toLowerCase(), role)
    const body = { token, password: PASSWORD, first_name, last_name }
    const answer = await shop.stage.server.call('POST', '/api/auth/signup_invite', { body })
    return { ...personOf(email, answer), organizationId: team.id }
  }
  const jonas = await join('Jonas', 'Berg', 'admin')
  const ines = await join('Ines', 'Costa', 'member')
  await join('Tom', 'Okafor', 'Bookkeeper')
  await join('Yuki', 'Tanaka', 'guest')
  const former = await join('Rasmus', 'Holm', 'member')
  await team.api('PUT', `/api/users/update_status?user_id=${former.userId}`, { status: 'suspended' })
  const { token } = await invite('agnes', 'member')
  await invite('ewan', 'guest')
  return { jonas, ines, invitationToken: token }
}

/** Creates a custom role. */
async function makeBookkeepers({ team, stage, owner }: Shop): Promise<void> {
  const wanted = ['organization:read', 'users:read', 'roles:read', 'chats:read', 'chats:write', 'kb:read']
  const { body } = await stage.server.call('GET', '/api/roles/list_permissions?limit=100', {
    token: owner.token,
  })
  await team.api('POST', '/api/roles/create', {
    name: 'Bookkeeper',
    description: 'Sees what is used and what it costs',
    hierarchy_level: 15,
    permission_ids: body.data
      .filter(({ name }: { name: string }) => wanted.includes(name))
      .map(({ id }: { id: string }) => id),
  })
}

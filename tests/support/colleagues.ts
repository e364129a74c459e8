import { randomUUID } from 'node:crypto'
import type { Client, Person } from './client.ts'

/** Adds users to an organization through the public API. */
export interface Colleagues {
  /** Signs up a user who joins with a system role. */
  join(role: string): Promise<Person>
  demote(person: Person, role: string): Promise<void>
}

export function colleaguesOf(client: Client, owner: Person): Colleagues {
  const org = `org_id=${owner.organizationId}`
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await client.call(method, path, {
      token: owner.token,
      ...(body !== undefined && { body }),
    })
    if (answer.status >= 400) throw new Error(answer.text)
    return answer.body
  }
  const roleId = async (name: string): Promise<string> => {
    const { data } = await ask('GET', `/api/roles/list_roles?${org}&limit=100`)
    return data.find((role: { name: string }) => role.name === name).id
  }
  return {
    async join(role) {
      const email = `${randomUUID()}@example.com`
      const password = 'correct horse battery'
      const invitation = { email, role_id: await roleId(role) }
      const { token } = await ask('POST', `/api/invitations/create?${org}`, invitation)
      const { body } = await client.call('POST', '/api/auth/signup_invite', {
        body: { token, password, first_name: 'Grace', last_name: 'Hopper' },
      })
      const { user, access_token, refresh_token: refreshToken } = body
      const { organizationId } = owner
      return { userId: user.id, email, password, token: access_token, refreshToken, organizationId }
    },
    async demote({ userId }, role) {
      await ask('PUT', `/api/users/update?${org}&user_id=${userId}`, { role_id: await roleId(role) })
    },
  }
}

import type { Client, Person } from './client.ts'

/** An organization with members, for tests and screenshots of the console. */
export interface Team {
  id: string
  /** Adds the organization to a path of the console or the API, as `org_id`. */
  at(path: string): string
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
  api(method: string, path: string, body?: unknown, person?: Person): Promise<any>
  /**
   * Sends a request as the system administrator (ADMIN_PASSWORD: administrator). Unlike `api`, doesn't add the
   * organization to the path.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
  asAdministrator(method: string, path: string, body?: unknown): Promise<any>
  administrator(): Promise<Person>
  /** Signs up a user and makes them a member with a system role. */
  join(role: string, first_name: string, last_name: string): Promise<{ person: Person; name: string }>
}

export async function teamOf(server: Client, owner: Person, name: string): Promise<Team> {
  const call = async (method: string, path: string, person: Person, body?: unknown) => {
    const answer = await server.call(method, path, { token: person.token, body })
    if (answer.status >= 400) throw new Error(`${method} ${path} ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const { id } = await call(
    'POST',
    `/api/org/create_org?${new URLSearchParams({ name, credits: '100000' })}`,
    owner,
  )
  const inTeam = (path: string) => `${path}${path.includes('?') ? '&' : '?'}org_id=${id}`
  const { data: roles } = await call('GET', inTeam('/api/roles/list_roles'), owner)
  const team: Team = {
    id,
    at: inTeam,
    api: (method, path, body, person = owner) => call(method, inTeam(path), person, body),
    asAdministrator: async (method, path, body) => call(method, path, await team.administrator(), body),
    async administrator() {
      const credentials = { email: 'admin@localhost', password: 'administrator' }
      const { body } = await server.call('POST', '/api/auth/login', { body: credentials })
      const { user, access_token: token, refresh_token: refreshToken } = body
      return {
        ...credentials,
        userId: user.id,
        token,
        refreshToken,
        organizationId: user.organizations[0].id,
      }
    },
    async join(role, first_name, last_name) {
      const person = await server.signUp()
      await server.call('PUT', '/api/users/me', { token: person.token, body: { first_name, last_name } })
      const role_id = roles.find((one: { name: string }) => one.name === role).id
      const body = { organization_id: id, user_id: person.userId, role_id }
      await call('POST', '/api/org/add_member', owner, body)
      // Other members see a member's name only after the member's first request.
      await server.call('GET', inTeam('/api/chat/list'), { token: person.token })
      return { person, name: `${first_name} ${last_name}` }
    },
  }
  return team
}

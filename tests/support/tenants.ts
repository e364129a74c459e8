import { randomUUID } from 'node:crypto'
import type { Client, Person } from './client.ts'
import type { TestServer } from './server.ts'

/** Adds another user to an organization, with a new role that has only the given permissions. */
export async function addPowerlessMember(
  server: TestServer,
  organizationId: string,
  permissions: string[] = [],
): Promise<Person> {
  const person = await server.signUp()
  const { sql } = server.server.services.database
  const roleId = randomUUID()
  await sql`
    insert into roles (id, organization_id, name, hierarchy_level)
    values (${roleId}, ${organizationId}, ${`role ${roleId}`}, 1)`
  await sql`
    insert into role_permissions (role_id, permission_id)
    select ${roleId}, id from permissions where name = any(${permissions})`
  await sql`
    insert into memberships (organization_id, user_id, role_id, status)
    values (${organizationId}, ${person.userId}, ${roleId}, 'active')`
  return person
}

/** Makes a user an active member with the named role. */
export async function addMemberWithRole(
  sql: TestServer['server']['services']['database']['sql'],
  organizationId: string,
  userId: string,
  role: string,
): Promise<void> {
  await sql`
    insert into memberships (organization_id, user_id, role_id, status)
    select ${organizationId}, ${userId}, id, 'active' from roles
    where organization_id = ${organizationId} and name = ${role}`
}

/** Returns the id of a system role in a user's organization. */
export async function roleOf(
  server: Client,
  { token, organizationId }: Person,
  name: string,
): Promise<string> {
  const { body } = await server.call('GET', `/api/roles/list_roles?org_id=${organizationId}&limit=100`, {
    token,
  })
  return body.data.find((role: { name: string }) => role.name === name).id
}

/** Returns an access token of the system administrator. Every test server creates this user at startup. */
export async function administratorToken(server: Client): Promise<string> {
  const { body } = await server.call('POST', '/api/auth/login', {
    body: { email: 'admin@localhost', password: 'administrator' },
  })
  return body.access_token
}

/**
 * Creates an organization, and returns `person` as the owner of this organization. A new organization has no credits.
 * `credits` are transferred from the owner's personal organization, and `granted` credits come from the
 * administrator.
 */
export async function createOrganization(
  server: Client,
  person: Person,
  {
    name = randomUUID(),
    credits = 0,
    granted = 0,
  }: { name?: string; credits?: number; granted?: number } = {},
): Promise<Person> {
  const query = new URLSearchParams({ name, credits: String(credits) })
  const { status, body, text } = await server.call('POST', `/api/org/create_org?${query}`, {
    token: person.token,
  })
  if (status !== 201) throw new Error(`${status} ${text}`)
  if (granted > 0) await grantCredits(server, body.id, granted)
  return { ...person, organizationId: body.id }
}

export async function grantCredits(server: Client, organizationId: string, amount: number): Promise<void> {
  const { status, text } = await server.call('POST', '/api/billing/credits', {
    token: await administratorToken(server),
    body: { organization_id: organizationId, amount, reason: 'test' },
  })
  if (status !== 201) throw new Error(`${status} ${text}`)
}

import { Authenticator } from '#tests/support/authenticator.ts'
import type { Person } from '#tests/support/client.ts'
import { addApp, addPasskey } from '#tests/support/factors.ts'
import { mailTo } from '#tests/support/mail.ts'
import { createOrganization, roleOf } from '#tests/support/tenants.ts'
import type { People } from './fill-people.ts'
import { type Shop, signUp } from './shop.ts'

/** The users whose account pages are shown, and a second organization that one of them owns. */
export interface Accounts {
  /** Has an authenticator app and a passkey, and owns the choir, which requires a second factor. */
  ida: Person
  /** Was added to the shop, but has not opened it. */
  nils: Person
  /** The base32 secret of the authenticator app. */
  appSecret: string
  choir: string
  /** The token in the mail about Nils's new membership. */
  leaveToken: string
}

export async function fillAccounts(shop: Shop, { jonas }: People): Promise<Accounts> {
  const { stage, sql } = shop
  const ida = await signUp(stage, 'Ida', 'Voss')
  await sql`update users set email_verified_at = now() where id in (${ida.userId}, ${jonas.userId})`
  const { secret: appSecret } = await addApp(stage.server, ida)
  await addPasskey(stage.server, ida, new Authenticator(stage.server.environment['BASE_URL'] ?? ''))
  const choir = await createOrganization(stage.server, ida, { name: 'Harbour Choir' })
  await addMember(stage, choir, jonas)
  await request(stage, jonas, 'GET', `/api/chat/list?org_id=${choir.organizationId}`)
  await request(stage, ida, 'PUT', `/api/org/update?org_id=${choir.organizationId}`, {
    require_second_factor: true,
  })
  const nils = await signUp(stage, 'Nils', 'Aro')
  const inShop = { organizationId: shop.team.id }
  await addMember(stage, { ...shop.owner, ...inShop }, nils)
  const { token: leaveToken } = await mailTo(stage.server, nils.email, 'added')
  return { ida, appSecret, nils: { ...nils, ...inShop }, choir: choir.organizationId, leaveToken }
}

/** Adds a member by ID, without an invitation. */
async function addMember(stage: Shop['stage'], owner: Person, { userId: user_id }: Person): Promise<void> {
  const { organizationId: organization_id } = owner
  const role_id = await roleOf(stage.server, owner, 'member')
  await request(stage, owner, 'POST', '/api/org/add_member', { organization_id, user_id, role_id })
}

async function request(
  { server }: Shop['stage'],
  { token }: Person,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const answer = await server.call(method, path, { token, ...(body && { body }) })
  if (answer.status >= 400) throw new Error(answer.text)
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillOrganization, fillPersonal } from '#tests/support/belongings.ts'
import type { Person } from '#tests/support/client.ts'
import { type ErasureStage, GONE, newMark, openErasureStage } from '#tests/support/erasure-stage.ts'
import { mailTo } from '#tests/support/mail.ts'
import { addMemberWithRole, administratorToken } from '#tests/support/tenants.ts'

/** A deleted account leaves nothing in the database, storage, Redis and recorded mail. */

let stage: ErasureStage
let server: ErasureStage['server']
beforeAll(async () => {
  stage = await openErasureStage()
  server = stage.server
})
afterAll(() => stage.close())

/** Returns the number of an organization's rows in each of these tables. */
async function countsOf(organizationId: string): Promise<Record<string, number>> {
  const { sql } = server.server.services.database
  const counts: Record<string, number> = {}
  for (const table of [
    'agents',
    'tools',
    'knowledge_bases',
    'kb_chunks',
    'ledger_entries',
    'usage_days',
    'roles',
  ])
    counts[table] = (await sql`select from ${sql(table)} where organization_id = ${organizationId}`).count
  return counts
}

const deleteAccount = (person: Person, current_password?: string) =>
  server.call('DELETE', '/api/users/me', {
    token: person.token,
    body: current_password === undefined ? {} : { current_password },
  })

/** Signs up a person whose every text begins with the mark. */
async function markedPerson(mark: string): Promise<Person> {
  const [email, password] = [`${mark}mail@example.com`, `${mark}password`]
  const { body } = await server.call('POST', '/api/auth/signup', {
    body: { email, password, first_name: `${mark}first`, last_name: `${mark}last` },
    headers: { 'user-agent': `${mark}browser` },
  })
  const { user, access_token: token, refresh_token: refreshToken } = body
  return { userId: user.id, email, password, token, refreshToken, organizationId: user.organizations[0].id }
}

describe('deleting an account', () => {
  test('leaves no trace of the person, and all data of others', async () => {
    const { sql } = server.server.services.database
    const mark = newMark()
    const theirs = await stage.newOrganization(await server.signUp(), newMark())
    await fillOrganization(server, theirs, newMark())
    const person = await markedPerson(mark)
    await fillPersonal(server, person, mark, stage.provider)
    await fillOrganization(server, person, mark)
    await addMemberWithRole(sql, theirs.organizationId, person.userId, 'admin')
    const there = { ...person, organizationId: theirs.organizationId }
    await fillPersonal(server, there, mark, stage.provider)
    const agent = await fillOrganization(server, there, newMark())
    await mailTo(server, person.email, 'email address')
    const before = await countsOf(theirs.organizationId)

    expect((await deleteAccount(person, person.password)).body).toEqual({ message: 'Account deleted' })
    expect((await server.call('GET', '/api/users/me', { token: person.token })).status).toBe(401)
    await expect.poll(() => stage.traces(mark), GONE).toEqual([])
    expect((await stage.traces(person.userId)).filter((one) => one.startsWith('parley:'))).toEqual([])
    expect(await countsOf(theirs.organizationId)).toEqual(before)
    const kept = await server.call('GET', `/api/agents/get?agent_id=${agent.agentId}`, {
      token: theirs.token,
    })
    expect(kept.status).toBe(200)
    const audit = await sql<{ ip_address: string; action: string }[]>`
      select ip_address, action from audit_entries
      where organization_id = ${theirs.organizationId} and actor_id = ${person.userId}`
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['agent.created', 'member.status_changed']),
    )
    expect(new Set(audit.map(({ ip_address }) => ip_address))).toEqual(new Set(['(removed)']))
    const [paid] = await sql`select from ledger_entries where user_id = ${person.userId}`
    expect(paid).toBeDefined()
    const anew = await server.call('POST', '/api/auth/signup', {
      body: { email: person.email, password: person.password, first_name: 'A', last_name: 'B' },
    })
    expect(anew.status).toBe(201)
  }, 120_000)

  test('requires the password, or a recent sign-in if the account has none', async () => {
    const { sql } = server.server.services.database
    const person = await server.signUp()
    for (const password of [undefined, 'wrong'])
      expect((await deleteAccount(person, password)).body.code).toBe('user.wrong_password')
    const key = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'k', permissions: ['chats:read'] },
    })
    const byKey = await server.call('DELETE', '/api/users/me', {
      headers: { 'x-api-key': key.body.key },
      body: { current_password: person.password },
    })
    expect(byKey.status).toBe(403)
    await sql`update users set password_hash = null where id = ${person.userId}`
    await sql`update sessions set created_at = now() - interval '11 minutes' where user_id = ${person.userId}`
    expect((await deleteAccount(person)).body.code).toBe('user.sign_in_again')
    await sql`update sessions set created_at = now() where user_id = ${person.userId}`
    expect((await deleteAccount(person)).status).toBe(200)
  })

  test('is refused while the user owns a shared organization, and for the last administrator', async () => {
    const { sql } = server.server.services.database
    const [owner, other] = [await server.signUp(), await server.signUp()]
    const name = newMark()
    const team = await stage.newOrganization(owner, name)
    await addMemberWithRole(sql, team.organizationId, other.userId, 'admin')
    const refused = await deleteAccount(owner, owner.password)
    expect([refused.status, refused.body.code]).toEqual([400, 'user.owns_organizations'])
    expect(refused.body.detail).toContain(name)
    await server.call('POST', `/api/org/transfer_ownership?org_id=${team.organizationId}`, {
      token: owner.token,
      body: { user_id: other.userId },
    })
    expect((await deleteAccount(owner, owner.password)).status).toBe(200)
    const last = await server.call('DELETE', '/api/users/me', {
      token: await administratorToken(server),
      body: { current_password: 'administrator' },
    })
    expect([last.status, last.body.code]).toEqual([400, 'user.last_administrator'])
  })

  test('is the only change that audit entries allow, and only of their addresses', async () => {
    const { sql } = server.server.services.database
    const { userId, organizationId } = await stage.newOrganization(await server.signUp(), newMark())
    const change = (person: string, what: 'ip' | 'action', isLeaving: boolean) =>
      sql.begin(async (tx) => {
        await tx`select set_config('parley.leaving', ${person}, true), set_config('parley.address', 'a@b.c', true)`
        if (isLeaving) await tx`update users set leaving = 'x' where id = ${userId}`
        await (what === 'ip'
          ? tx`update audit_entries set ip_address = '(removed)' where organization_id = ${organizationId}`
          : tx`update audit_entries set action = 'x.y' where organization_id = ${organizationId}`)
        throw new Error('it went through')
      })
    await expect(change('', 'ip', false)).rejects.toThrow('never changed')
    await expect(change(userId, 'ip', false)).rejects.toThrow('never changed')
    await expect(change(userId, 'action', true)).rejects.toThrow('never changed')
    await expect(change(userId, 'ip', true)).rejects.toThrow('it went through')
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type MailServer, startMailServer } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { createOrganization } from '#tests/support/tenants.ts'

/**
 * STARTING_CREDITS are granted once per address, to the personal organization. If mail is configured, the address
 * must be confirmed first.
 */

const CREDITS = 5_000
const PASSWORD = 'correct horse battery'

let open: TestServer
let proving: TestServer
let mails: MailServer
beforeAll(async () => {
  mails = await startMailServer()
  const environment = { STARTING_CREDITS: String(CREDITS) }
  open = await startTestServer(environment)
  proving = await startTestServer({ ...environment, SMTP_URL: mails.url, MAIL_FROM: 'a@example.com' })
})
afterAll(async () => {
  await open.stop()
  await proving.stop()
  await mails.close()
})

async function signUp(server: TestServer, email: string): Promise<Person> {
  const { status, body } = await server.call('POST', '/api/auth/signup', {
    body: { email, password: PASSWORD, first_name: 'Ada', last_name: 'Lovelace' },
  })
  expect(status).toBe(201)
  const { user, access_token: token, refresh_token: refreshToken } = body
  const organizationId = user.organizations[0].id
  return { userId: user.id, email, password: PASSWORD, token, refreshToken, organizationId }
}

const newAddress = (): string => `${randomUUID()}@example.com`
const creditsOf = async (server: TestServer, person: Person) => (await balanceOf(server, person)).balance

async function mailed(to: string, subject: RegExp): Promise<string> {
  const find = () => mails.received.find((mail) => mail.to === to && subject.test(mail.subject))
  await expect.poll(find).toBeDefined()
  return find()?.token ?? ''
}

const deleteAccount = async (server: TestServer, { token }: Person): Promise<void> => {
  const answer = await server.call('DELETE', '/api/users/me', { token, body: { current_password: PASSWORD } })
  expect(answer.status).toBe(200)
}

describe('starting credits without mail', () => {
  test('are granted at sign-up, but not for other organizations', async () => {
    const person = await signUp(open, newAddress())
    const team = await createOrganization(open, person)
    expect([await creditsOf(open, person), await creditsOf(open, team)]).toEqual([CREDITS, 0])
    const { ledger } = open.server.services
    expect(
      await ledger.entries(person.organizationId, { below: undefined, kind: undefined }, 10),
    ).toMatchObject([{ kind: 'CREDIT', amount: CREDITS, reason: 'starting credits' }])
  })

  test('are granted once per mailbox, regardless of spelling', async () => {
    const name = randomUUID().slice(0, 8)
    const first = await signUp(open, `${name}@example.com`)
    const others = [`${name}+1@example.com`, `${name.toUpperCase()}+two@Example.com`]
    expect(await creditsOf(open, first)).toBe(CREDITS)
    for (const email of others) expect(await creditsOf(open, await signUp(open, email))).toBe(0)
    expect(await creditsOf(open, await signUp(open, `x${name}@gmail.com`))).toBe(CREDITS)
    expect(await creditsOf(open, await signUp(open, `x.${name}+a@googlemail.com`))).toBe(0)
  })

  test('are granted once, even if the account is deleted and created again', async () => {
    const email = newAddress()
    const first = await signUp(open, email)
    expect(await creditsOf(open, first)).toBe(CREDITS)
    await deleteAccount(open, first)
    expect(await creditsOf(open, await signUp(open, email))).toBe(0)
    const { sql } = open.server.services.database
    const claims = await sql<
      { row: string }[]
    >`select starting_credit_claims::text as row from starting_credit_claims`
    for (const { row } of claims) expect(row).not.toContain(email.slice(0, 8))
  })
})

describe('starting credits with mail', () => {
  test('are granted once, when the address is verified', async () => {
    const person = await signUp(proving, newAddress())
    expect(await creditsOf(proving, person)).toBe(0)
    const token = await mailed(person.email, /./)
    const verified = await proving.call('POST', '/api/auth/verify_email', {
      token: person.token,
      body: { token },
    })
    expect(verified.status).toBe(200)
    expect(await creditsOf(proving, person)).toBe(CREDITS)
    await proving.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
    const reset = await mailed(person.email, /password/i)
    const answer = await proving.call('POST', '/api/auth/reset_password', {
      body: { token: reset, password: PASSWORD },
    })
    expect(answer.status).toBe(200)
    const { balance } = await proving.server.services.ledger.balance(person.organizationId)
    expect(balance).toBe(CREDITS)
  })

  test('are granted when the password is reset by mail', async () => {
    const person = await signUp(proving, newAddress())
    await proving.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
    const token = await mailed(person.email, /password/i)
    const body = { token, password: PASSWORD }
    expect((await proving.call('POST', '/api/auth/reset_password', { body })).status).toBe(200)
    const { balance } = await proving.server.services.ledger.balance(person.organizationId)
    expect(balance).toBe(CREDITS)
  })

  test('are granted when a magic link is accepted', async () => {
    const { body: admin } = await proving.call('POST', '/api/auth/login', {
      body: { email: 'admin@localhost', password: 'administrator' },
    })
    const owner = { ...admin.user, token: admin.access_token }
    const team = await createOrganization(proving, { ...owner, organizationId: owner.organizations[0].id })
    const roles = await proving.call('GET', `/api/roles/list_roles?org_id=${team.organizationId}`, {
      token: owner.token,
    })
    const role_id = roles.body.data.find(({ name }: { name: string }) => name === 'member').id
    const email = newAddress()
    const invited = await proving.call('POST', `/api/users/invite?org_id=${team.organizationId}`, {
      token: owner.token,
      body: { email, role: role_id, first_name: 'Ada', last_name: 'Lovelace' },
    })
    expect([invited.status, invited.text]).toEqual([201, invited.text])
    const body = { token: await mailed(email, /./), password: PASSWORD }
    const accepted = await proving.call('POST', '/api/auth/magic_link/accept', { body })
    expect(accepted.status).toBe(200)
    const personal = accepted.body.user.organizations.find(
      ({ id }: { id: string }) => id !== team.organizationId,
    )
    expect((await proving.server.services.ledger.balance(personal.id)).balance).toBe(CREDITS)
  })
})

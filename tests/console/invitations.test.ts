import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { confirmAddress, type MailServer, mailTo, startMailServer } from '#tests/support/mail.ts'
import { roleOf } from '#tests/support/tenants.ts'

/** Invitations as the invited person sees them. */

describeInBrowser('an invitation', () => {
  let stage: ConsoleStage
  let mails: MailServer
  let owner: Person
  let member: string

  beforeAll(async () => {
    mails = await startMailServer()
    stage = await startConsoleStage({ SMTP_URL: mails.url, MAIL_FROM: 'Parley <parley@example.com>' })
    owner = await stage.server.signUp()
    await confirmAddress(stage.server, owner, mails)
    const made = await stage.server.call('POST', '/api/org/create_org?name=Analytical+Engines', {
      token: owner.token,
    })
    owner = { ...owner, organizationId: made.body.id }
    member = await roleOf(stage.server, owner, 'member')
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await mails?.close()
  })

  const newEmail = () => `${randomUUID()}@example.com`
  const asOwner = (method: string, path: string, body?: unknown) =>
    stage.server.call(method, path, { token: owner.token, ...(body !== undefined && { body }) })
  const invite = async (email = newEmail()) => {
    const body = { email, role_id: member, message: 'We start on Monday.' }
    const made = await asOwner('POST', `/api/invitations/create?org_id=${owner.organizationId}`, body)
    return { ...made.body, link: await linkTo(email, 'invited you') }
  }
  const linkTo = async (email: string, words: string): Promise<string> => {
    const { text } = await mailTo(mails, email, words)
    return /http:\S+\?token=[\w-]+/.exec(text)?.[0] ?? ''
  }
  const signUp = async (email: string) => {
    const body = { email, password: 'correct horse', first_name: 'Grace', last_name: 'Hopper' }
    const { body: signedIn } = await stage.server.call('POST', '/api/auth/signup', { body })
    return { ...owner, email, token: signedIn.access_token, refreshToken: signedIn.refresh_token }
  }
  const JOINED = { name: 'Organization: Analytical Engines' }

  test('creates an account for a new person, once', async () => {
    const { link } = await invite()
    const page = await stage.open(link)
    await page.getByText('Ada Lovelace invited you to Analytical Engines as member.').waitFor()
    await page.getByText('We start on Monday.').waitFor()
    expect(page.url()).toBe(`${stage.server.url}/invite`)
    await expectAccessible(page)
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()
    await page.getByRole('button', JOINED).waitFor()

    const again = await stage.open(link)
    await again
      .getByRole('alert')
      .getByText('This invitation is accepted. Ask an administrator of the organization for a new one.')
      .waitFor()
    await expectAccessible(again)
    await again.getByRole('link', { name: 'Sign in' }).click()
    await again.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('is accepted by an existing user with their password, regardless of who was signed in', async () => {
    const { link, email } = await invite()
    const person = await signUp(email)
    const other = await stage.server.signUp()
    const page = await stage.open(link, other)
    await page.getByText(`You’re signed in as ${other.email}`).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('alert').getByText('Invalid email or password').waitFor()
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()
    await page.getByRole('button', JOINED).waitFor()
    const sessions = await stage.server.call('GET', '/api/auth/sessions', { token: other.token })
    expect(sessions.status).toBe(401)
    expect(person.email).toBe(email)
  })

  test('shows that it was revoked or never existed', async () => {
    const { link, id } = await invite()
    await asOwner('DELETE', `/api/invitations/revoke?invitation_id=${id}`)
    const page = await stage.open(link)
    await page
      .getByRole('alert')
      .getByText('This invitation is revoked. Ask an administrator of the organization for a new one.')
      .waitFor()
    await page.goto('/invite?token=inv_unknown')
    await page.getByRole('alert').getByText('Invitation not found').waitFor()
    await page.goto('/magic_link')
    await page.getByRole('heading', { name: 'Open the link in your email' }).waitFor()
    await expectAccessible(page)
  })

  test('to an account created beforehand signs in automatically', async () => {
    const email = newEmail()
    await asOwner('POST', `/api/users/invite?org_id=${owner.organizationId}`, {
      email,
      first_name: 'Alan',
      last_name: 'Turing',
      role: member,
    })
    const page = await stage.open(await linkTo(email, 'created a Parley account'))
    await page.getByLabel('Password (optional)').fill('correct horse')
    expect(page.url()).toBe(`${stage.server.url}/magic_link`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Join and sign in' }).click()
    await page.getByRole('heading', { name: 'Hello, Alan' }).waitFor()
    await page.getByRole('button', JOINED).waitFor()
  })

  test('to a personal organization names its owner once, and the member reads whose it is', async () => {
    const charles = await stage.server.signUp()
    await confirmAddress(stage.server, charles, mails)
    const email = newEmail()
    const role_id = await roleOf(stage.server, charles, 'member')
    await stage.server.call('POST', `/api/invitations/create?org_id=${charles.organizationId}`, {
      token: charles.token,
      body: { email, role_id },
    })
    const { subject } = await mailTo(mails, email, 'invited you to their organization')
    expect(subject).toBe('Ada Lovelace invited you to their organization')
    const page = await stage.open(await linkTo(email, 'invited you'))
    await page.getByRole('heading', { name: 'Join Ada Lovelace’s organization' }).waitFor()
    await page.getByText('Ada Lovelace invited you to their organization as member.').waitFor()
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Create account and join' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText(/^Personal organization of its owner, .* Your role: member\.$/).waitFor()
    await page.getByRole('button', { name: 'Organization: Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Grace Hopper' }).click()
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText(/^Your personal organization, .* Your role: owner\.$/).waitFor()
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})

import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type MailServer, mailTo, startMailServer } from '#tests/support/mail.ts'
import { OpenidBrowser } from '#tests/support/openid-browser.ts'
import { OPENID_CLIENT, type OpenidProvider, startOpenidProvider } from '#tests/support/openid-provider.ts'

/** Sign-in with a password, password reset, mailed links, and an OpenID provider. */

describeInBrowser('signing in to the console', () => {
  let stage: ConsoleStage
  let mails: MailServer
  let provider: OpenidProvider

  beforeAll(async () => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    mails = await startMailServer()
    provider = await startOpenidProvider(`${url}/api/auth/oidc/callback`)
    stage = await startConsoleStage({
      PORT: String(port),
      BASE_URL: url,
      SMTP_URL: mails.url,
      MAIL_FROM: 'Parley <parley@example.com>',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: OPENID_CLIENT.id,
      OIDC_CLIENT_SECRET: OPENID_CLIENT.secret,
    })
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
    await mails?.close()
  })

  const signIn = async (page: Page, email: string, password: string) => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const atHome = (page: Page) => page.getByRole('heading', { name: /^Hello, / }).waitFor()
  const linkTo = async (email: string, words: string): Promise<string> => {
    const { text } = await mailTo(mails, email, words)
    return /http:\S+\?token=[\w-]+/.exec(text)?.[0] ?? ''
  }

  test('a user signs up, signs out, and signs in again', async () => {
    const page = await stage.open('/account')
    await page.getByRole('link', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Create account' }).waitFor()
    await expectAccessible(page)
    const email = `${randomUUID()}@example.com`
    await page.getByLabel('First name').fill('Grace')
    await page.getByLabel('Last name').fill('Hopper')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/account?**')
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page, email, 'wrong horse')
    await page.getByRole('alert').getByText('Invalid email or password').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe(email)
    await expectAccessible(page)
    await signIn(page, email, 'correct horse')
    await page.waitForURL('**/account?**')
    await page.goto('/sign_in')
    await atHome(page)
  })

  test('a forgotten password is reset by a mailed link, once', async () => {
    const person = await stage.server.signUp()
    const page = await stage.open('/sign_in')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Forgot password?' }).waitFor()
    await page.getByLabel('Email').fill(person.email)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('status').getByText('sent a link to this address').waitFor()
    await expectAccessible(page)

    const link = await linkTo(person.email, 'Reset your password')
    await page.goto(link)
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor()
    expect(page.url()).toBe(`${stage.server.url}/reset_password`)
    await page.reload()
    await page.getByLabel('New password').fill('battery staple')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { name: 'Password changed' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, person.email, 'battery staple')
    await atHome(page)

    const again = await stage.open(link)
    await again.getByLabel('New password').fill('battery staple')
    await again.getByRole('button', { name: 'Set password' }).click()
    await again.getByRole('alert').getByText('This link has expired or was already used').waitFor()
    await again.getByRole('link', { name: 'Send another link' }).click()
    await again.getByRole('heading', { name: 'Forgot password?' }).waitFor()
    await again.goto('/reset_password')
    await again.getByRole('heading', { name: 'Open the link in your email' }).waitFor()
  })

  test('an address is confirmed by a click in a session of its account, and not by opening the link', async () => {
    const person = await stage.server.signUp()
    const link = await linkTo(person.email, 'Confirm your email')
    const isVerified = async (): Promise<boolean> =>
      (await stage.server.call('GET', '/api/users/me', { token: person.token })).body.email_verified
    const other = await stage.open(link, await stage.server.signUp())
    await other.getByRole('button', { name: 'Confirm address' }).click()
    await other.getByRole('alert').getByText('This link belongs to another account').waitFor()
    await expectAccessible(other)

    const page = await stage.open(link)
    await page.getByText('Sign in to the account that you created with this address').waitFor()
    expect(page.url()).not.toContain('token')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, person.email, person.password)
    const confirm = page.getByRole('button', { name: 'Confirm address' })
    await confirm.waitFor()
    await page.getByText(person.email).waitFor()
    await expectAccessible(page)
    expect(await isVerified()).toBe(false)
    await confirm.click()
    const confirmed = page.getByRole('heading', { name: 'Email address confirmed' })
    await confirmed.waitFor()
    expect(await isVerified()).toBe(true)
    await page.goto(link)
    await confirmed.waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await atHome(page)
  })

  test('a code from another browser does not sign in', async () => {
    provider.account = { id: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true }
    const code = await new OpenidBrowser().open(`${stage.server.url}/api/auth/oidc/start`)
    const page = await stage.open(`${code.pathname}${code.search}`)
    await page.getByRole('heading', { name: 'Sign-in wasn’t completed' }).waitFor()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('an OpenID provider signs in, and the user returns to the requested page', async () => {
    provider.account = {
      id: randomUUID(),
      email: `${randomUUID()}@example.com`,
      email_verified: true,
      given_name: 'Alan',
      family_name: 'Turing',
    }
    const page = await stage.open('/account')
    await page.getByRole('link', { name: 'Sign in with your organization' }).click()
    await page.getByRole('heading', { name: 'Your account', exact: true }).waitFor()
    expect(await page.getByLabel('First name').inputValue()).toBe('Alan')

    provider.account = { id: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: false }
    const refused = await stage.open('/sign_in')
    await refused.getByRole('link', { name: 'Sign in with your organization' }).click()
    await refused.getByRole('alert').getByText('has not verified your email address').waitFor()
    await expectAccessible(refused)
    await refused.getByRole('link', { name: 'Sign in another way' }).click()
    await refused.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})

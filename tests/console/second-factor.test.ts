import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { App, forgetCode, signUpVerified } from '#tests/support/factors.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Setting up a second factor, signing in with it, and an organization that requires one. */

/** The color of the quiet zone, which contains no modules in any QR code. */
const CORNER_OF_QR_CODE = `{
  const { left, top } = document.querySelector('svg[role=img]').getBoundingClientRect()
  getComputedStyle(document.elementFromPoint(left + 2, top + 2)).fill
}`

describeInBrowser('a second factor', () => {
  let stage: ConsoleStage
  let ada: Person
  let site: string

  beforeAll(async () => {
    const port = String(await findFreePort())
    // Passkeys require a domain name and don't work with an IP address.
    site = `http://localhost:${port}`
    stage = await startConsoleStage({ PORT: port, BASE_URL: site })
    ada = await signUpVerified(stage.server)
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
  })

  /** Returns whether the browser has the refresh cookie. Without it, the session ends when the access token expires. */
  const keepsRefreshCookie = async (page: Page) =>
    (await page.context().cookies(`${site}/api/auth/refresh`)).some(({ httpOnly }) => httpOnly)

  test('by an authenticator app: QR code, key, first code, recovery codes, sign-in', async () => {
    const page = await stage.open(`${site}/account`, ada)
    await page.getByRole('button', { name: 'Set up authenticator app' }).click()
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    // The background stays white in dark mode, because cameras cannot read black on black.
    expect(await page.evaluate(CORNER_OF_QR_CODE)).toBe('rgb(255, 255, 255)')
    const focused = "document.activeElement?.getAttribute('autocomplete')"
    await expect.poll(() => page.evaluate(focused)).toBe('one-time-code')
    await expectAccessible(page)
    const key = await page.getByRole('dialog').locator('code').innerText()
    const app = new App(key.replaceAll(/\s/g, ''))
    await page.getByLabel('Code', { exact: true }).fill(app.code())
    await page.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    expect(await codes.count()).toBe(10)
    const recovery = await codes.first().innerText()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Recovery codes left: 10').waitFor()

    await forgetCode(stage.server, ada)
    const stranger = await stage.open(`${site}/sign_in`)
    const signIn = async () => {
      await stranger.getByLabel('Email').fill(ada.email)
      await stranger.getByLabel('Password').fill(ada.password)
      await stranger.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await signIn()
    await stranger.getByLabel('Code', { exact: true }).fill(app.wrongCode())
    await stranger.getByRole('button', { name: 'Continue' }).click()
    await stranger.getByText('Wrong code').waitFor()
    await expectAccessible(stranger)
    await stranger.getByRole('button', { name: 'Use a recovery code' }).click()
    await stranger.getByLabel('Recovery code').fill(recovery)
    await stranger.getByRole('button', { name: 'Continue' }).click()
    await stranger.getByRole('button', { name: /^Your account/ }).waitFor()
    expect(await keepsRefreshCookie(stranger)).toBe(true)
  })

  test('by a passkey of the browser, which then signs in alone', async () => {
    const page = await stage.open(`${site}/account`, ada)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    })
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Laptop')
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('list', { name: 'Two-factor authentication methods' }).getByText('Laptop').waitFor()
    await page.evaluate("localStorage.setItem('parley.session', 'null')")
    await page.goto(`${site}/sign_in`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('button', { name: /^Your account/ }).waitFor()
    expect(await keepsRefreshCookie(page)).toBe(true)
  })

  test('can be required by an owner, and members without one see how to set it up', async () => {
    const page = await stage.open(`${site}/settings`, ada)
    const toggle = page.getByRole('switch', { name: 'Require two-factor authentication' })
    await toggle.click()
    await page.getByText('Two-factor authentication is now required').first().waitFor()
    const member = await signUpVerified(stage.server)
    const { sql } = stage.server.server.services.database
    await addMemberWithRole(sql, ada.organizationId, member.userId, 'member')
    const theirs = await stage.open(`${site}/?org_id=${ada.organizationId}`, member)
    const link = theirs.getByRole('link', { name: 'Set up two-factor authentication' })
    await link.waitFor()
    expect(await theirs.getByRole('alert').count()).toBe(0)
    await expectAccessible(theirs)
    await link.click()
    await theirs.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
  })
})

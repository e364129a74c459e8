import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { addApp, signUpVerified } from '#tests/support/factors.ts'
import { startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { roleOf } from '#tests/support/tenants.ts'

/** The language of the console: the account's, else the browser's. */

const GERMAN = { locale: 'de-DE' }

describeInBrowser('the language of the console', () => {
  let stage: ConsoleStage
  beforeAll(async () => {
    stage = await sharedConsoleStage()
  }, 120_000)
  afterAll(() => stage?.stop())

  const languageOf = (page: Page) => page.locator('html').getAttribute('lang')
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()

  test('is chosen in the account, and then the same on every device', async () => {
    const ada = await stage.server.signUp()
    const page = await stage.open('/account', ada, GERMAN)
    await heading(page, 'Ihr Konto')
    expect(await languageOf(page)).toBe('de-DE')
    await expectAccessible(page)
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('button', { name: 'Speichern' }).click()
    await heading(page, 'Your account')
    expect(await languageOf(page)).toBe('en')

    const device = await stage.open('/sign_in', undefined, GERMAN)
    await heading(device, 'Anmelden')
    await device.getByLabel('E-Mail').fill(ada.email)
    await device.getByLabel('Passwort').fill(ada.password)
    await device.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await device.getByRole('button', { name: /^Your account/ }).waitFor()

    await page.getByLabel('Language').selectOption('Browser default')
    await page.getByRole('button', { name: 'Save' }).click()
    await heading(page, 'Ihr Konto')
  })

  test('is no longer the one of an account that signed out', async () => {
    const [ada, ben] = await Promise.all([stage.server.signUp(), stage.server.signUp()])
    await stage.server.call('PUT', '/api/users/me', { token: ada.token, body: { language: 'de' } })
    const page = await stage.open('/', ada, { locale: 'en-US' })
    await page.getByRole('button', { name: /^Ihr Konto/ }).click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.getByLabel('E-Mail').fill(ben.email)
    await page.getByLabel('Passwort').fill(ben.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    // The URL still names the other account's organization.
    await page.getByText('You aren’t a member of this organization').waitFor()
  })

  test('stays the browser’s where storing a choice fails, without reloading again', async () => {
    const ada = await stage.server.signUp()
    await stage.server.call('PUT', '/api/users/me', { token: ada.token, body: { language: 'de' } })
    const page = await stage.open('about:blank', ada, { locale: 'en-US' })
    await page.addInitScript(`
      const setItem = Storage.prototype.setItem
      Storage.prototype.setItem = function (key, value) {
        if (key === 'parley.language') throw new DOMException('blocked', 'QuotaExceededError')
        setItem.call(this, key, value)
      }
    `)
    let loads = 0
    page.on('load', () => (loads += 1))
    await page.goto('/account')
    await heading(page, 'Your account')
    await page.waitForLoadState('networkidle')
    expect(loads).toBe(1)
  })

  test('is also that of names and sentences from the server: roles, factors, connections', async () => {
    const { server } = stage
    const ada = await signUpVerified(server)
    const invited = await server.call('POST', `/api/invitations/create?org_id=${ada.organizationId}`, {
      token: ada.token,
      body: { email: 'grace@example.com', role_id: await roleOf(server, ada, 'member') },
    })
    const offer = await stage.open(`/invite?token=${invited.body.token}`, undefined, GERMAN)
    await offer.getByText('mit der Rolle Mitglied.').waitFor()

    await addApp(server, ada)
    const account = await stage.open('/account', ada, GERMAN)
    await account.getByRole('button', { name: 'Authenticator-App entfernen' }).waitFor()
    expect(await account.getByText('Authenticator app').count()).toBe(0)

    const provider = await startAuthorizedMcpServer()
    const connector = await mcpConnector(server)
    const id = await connector.addServer(provider.url, { type: 'oauth' })
    await connector.connect(id, provider.consent)
    await provider.close()
    const page = await stage.open('/connections', connector.person, GERMAN)
    await page.getByRole('button', { name: /^Aktionen für/ }).click()
    await page.getByRole('menuitem', { name: 'Verbindung trennen' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Verbindung trennen' }).click()
    await page.getByText('Der Zugriff wurde aber nicht widerrufen.').first().waitFor()
  })

  test('nothing went wrong on any page', () => {
    expect(stage.problems).toEqual([])
  })
})

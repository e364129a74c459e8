import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'

/** Server errors in the language of the browser. */

describeInBrowser('errors in a German browser', () => {
  const german = { locale: 'de-DE' }
  let stage: ConsoleStage
  let provider: EmulatedProvider
  beforeAll(async () => {
    ;[stage, provider] = await Promise.all([sharedConsoleStage(), startProvider()])
  }, 120_000)
  afterAll(() => Promise.all([stage?.stop(), provider?.close()]))

  test('a wrong password shows a German error, without loading the text of other screens', async () => {
    const page = await stage.open('about:blank', undefined, german)
    await page.route(/\/assets\/rest-[^/]+\.js$/, (route) => route.abort())
    await page.goto('/sign_in')
    await page.locator('input[type=email]').fill('ada@example.com')
    await page.locator('input[type=password]').fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('E-Mail-Adresse oder Passwort ist falsch.').waitFor()
  })

  test('a duplicate name shows a German error', async () => {
    const person = await stage.server.signUp()
    await librarian(stage.server, person).create({ name: 'Handbuch' })
    const page = await stage.open(`/knowledge?org_id=${person.organizationId}`, person, german)
    await page.getByRole('button', { name: 'Wissensdatenbank erstellen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Handbuch')
    await dialog.getByRole('button', { name: 'Wissensdatenbank erstellen' }).click()
    await dialog.getByText('Es gibt bereits eine Wissensdatenbank mit diesem Namen.').waitFor()
    expect(stage.problems).toEqual([])
  })

  test('an error without its values shows the server’s sentence', async () => {
    const page = await stage.open('/sign_in', undefined, german)
    const json = { detail: 'In the words of the server.', code: 'invitation.email', values: {} }
    await page.route('**/api/auth/login', (route) => route.fulfill({ status: 400, json }))
    await page.locator('input[type=email]').fill('ada@example.com')
    await page.locator('input[type=password]').fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('In the words of the server.').waitFor()
  })

  test('a failed reply shows a German reason, live and after a reload', async () => {
    const person = await stage.server.signUp()
    await stage.server.addModel(person, {
      name: 'Engine',
      provider: 'openai-compatible',
      version: 'emu-err401',
      config: { base_url: `${provider.url}/v1`, api_key: 'k' },
    })
    const page = await stage.open('/chats', person, german)
    await page.getByRole('button', { name: /^Modell oder Agent/ }).click()
    await page.getByRole('option', { name: 'Engine' }).click()
    await page.getByRole('textbox', { name: 'Nachricht', exact: true }).fill('Hallo')
    await page.keyboard.press('Enter')
    const reason = page.getByRole('article').getByRole('alert').getByText('hat den API-Schlüssel abgelehnt')
    await reason.waitFor()
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}/)
    await page.reload()
    await reason.waitFor()
  })

  test('a failed invitation shows a German reason', async () => {
    const [person, other] = await Promise.all([stage.server.signUp(), stage.server.signUp()])
    const page = await stage.open(`/members?org_id=${person.organizationId}`, person, german)
    await page.getByRole('button', { name: 'Einladen' }).click()
    await page.getByLabel('E-Mail-Adressen').fill(`${person.email} ${other.email}`)
    await page.getByRole('button', { name: '2 Einladungen erstellen' }).click()
    const results = page.getByRole('list', { name: 'Einladungen' })
    await results.getByText('Diese Person hat bereits ein Konto.').waitFor()
    await results.getByText('Dieser Benutzer ist bereits Mitglied').waitFor()
  })
})

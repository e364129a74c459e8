import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { readZip } from '#tests/support/read-zip.ts'

/** The account page: names, address, password, sessions, data export, deletion. */

describeInBrowser('the account page', () => {
  let stage: ConsoleStage
  let ada: Person

  beforeAll(async () => {
    stage = await startConsoleStage()
    ada = await stage.server.signUp()
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
  })

  test('edits the name, and says that no confirmation mail arrives', async () => {
    const page = await stage.open('/', ada)
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Your account' }).click()
    await page.getByText('Not confirmed').waitFor()
    await expectAccessible(page)
    await page.getByLabel('First name').fill('Augusta')
    await page.getByLabel('First name').press('Enter')
    await page.getByText('Profile saved', { exact: true }).waitFor()
    await page
      .getByRole('button', { name: /^Your account/ })
      .getByText('Augusta Lovelace')
      .waitFor()
    await page.getByText('This installation sends no email.').waitFor()
  })

  test('changes the password, which ends sessions elsewhere', async () => {
    const elsewhere = await signIn('curl/8.5.0')
    const page = await stage.open('/account', ada)
    const sessions = page.getByRole('list', { name: 'Sessions' })
    await sessions.getByText('curl').waitFor()
    await page.getByLabel('Current password').fill('wrong horse')
    await page.getByLabel('New password').fill('correct horse staple')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Incorrect password').waitFor()
    await expectAccessible(page)
    expect(await page.getByLabel('New password').inputValue()).toBe('correct horse staple')
    await page.getByLabel('Current password').fill(ada.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').first().waitFor()
    await sessions.getByText('curl').waitFor({ state: 'detached' })
    expect(await statusOf(elsewhere)).toBe(401)
    ada = { ...ada, password: 'correct horse staple' }
  })

  test('signs out other sessions', async () => {
    const [one, two] = [await signIn('curl/8.5.0'), await signIn('Wget/1.21')]
    const page = await stage.open('/account', ada)
    await page.getByRole('button', { name: 'Sign out curl' }).click()
    await expectAccessible(page)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out curl' }).waitFor({ state: 'detached' })
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])
    await page.getByRole('button', { name: 'Sign out other sessions' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Wget').waitFor({ state: 'detached' })
    expect([await statusOf(two), await statusOf(ada.token)]).toEqual([401, 200])
  })

  test("exports the user's data", async () => {
    const page = await stage.open('/account', ada)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download export' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('parley-export.zip')
    const entries = await readZip(readFileSync(await saved.path()))
    expect([...entries.keys()]).toContain('manifest.json')
  })

  test('deletes the account after the address and the password are entered', async () => {
    const page = await stage.open('/account', ada)
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog')
    const end = dialog.getByRole('button', { name: 'Delete account' })
    expect(await end.isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type/).fill(ada.email)
    await dialog.getByLabel('Password', { exact: true }).fill('wrong horse')
    await end.click()
    await dialog.getByText('Incorrect password').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password)
    await end.click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await statusOf(ada.token)).toBe(401)
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })

  const signIn = async (userAgent: string): Promise<string> => {
    const { body } = await stage.server.call('POST', '/api/auth/login', {
      body: { email: ada.email, password: ada.password },
      headers: { 'user-agent': userAgent },
    })
    return body.access_token
  }
  const statusOf = async (token: string) =>
    (await stage.server.call('GET', '/api/users/me', { token })).status
})

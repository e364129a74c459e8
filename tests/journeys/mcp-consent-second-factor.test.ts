import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type App, addApp, forgetCode } from '#tests/support/factors.ts'
import { type ConsentStage, startConsentStage } from '#tests/support/mcp/consent-stage.ts'

describeInBrowser('the consent page, for an account with a second factor', () => {
  let stage: ConsentStage
  let app: App
  let recoveryCodes: string[]

  beforeAll(async () => {
    stage = await startConsentStage()
    const { server, person } = stage
    await server.server.services.database.sql`
      update users set email_verified_at = now() where id = ${person.userId}`
    ;({ app, recoveryCodes } = await addApp(server, person))
    await forgetCode(server, person)
  })
  afterAll(() => stage.stop())

  test('asks for a code, shows an error for a wrong one, and continues with a correct one', async () => {
    const { page, back } = await stage.open()
    await stage.signIn(page)
    const code = page.getByLabel('Code from your authenticator app')
    await code.waitFor()
    expect(await page.getByLabel('Organization').isVisible()).toBe(false)
    await code.fill(app.wrongCode())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Wrong code').waitFor()
    await code.fill(app.code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Organization').selectOption({ label: 'The Lighthouse' })
    await page.getByRole('button', { name: 'Allow' }).click()
    expect((await back).searchParams.get('code')?.length).toBe(43)
    await page.context().close()
  })

  test('accepts a recovery code', async () => {
    const { page } = await stage.open()
    await stage.signIn(page)
    await page.getByLabel('Code from your authenticator app').fill(recoveryCodes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Organization').waitFor()
    await page.context().close()
  })
})

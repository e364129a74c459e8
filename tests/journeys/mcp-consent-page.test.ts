import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { APP_NAME, type ConsentStage, startConsentStage } from '#tests/support/mcp/consent-stage.ts'

describeInBrowser('the consent page', () => {
  let stage: ConsentStage
  beforeAll(async () => {
    stage = await startConsentStage()
  })
  afterAll(() => stage.stop())

  const sessions = async (): Promise<number> => {
    const { server, person } = stage
    return (await server.call('GET', '/api/auth/sessions', { token: person.token })).body.data.length
  }

  test("shows the app's name and redirect target as text", async () => {
    const { page } = await stage.open()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(`Connect ${APP_NAME} to Parley?`)
    expect(await page.innerText('main')).toContain('an app on this device (127.0.0.1)')
    expect(await page.locator('main b').count()).toBe(0)
    await page.context().close()
  })

  test('works by keyboard: sign in, select, allow; the session ends afterwards', async () => {
    const before = await sessions()
    const { page, back } = await stage.open()
    await page.getByLabel('Email').focus()
    await page.keyboard.type(stage.person.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(stage.person.password)
    await page.keyboard.press('Enter')
    await page.getByLabel('Organization').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('decide-heading')
    await page.getByLabel('Organization').selectOption({ label: 'The Lighthouse' })
    await page.getByRole('button', { name: 'Allow' }).press('Enter')
    const { searchParams } = await back
    expect([searchParams.get('state'), searchParams.get('code')?.length]).toEqual(['s', 43])
    expect(await sessions()).toBe(before)
    await page.context().close()
  })

  test('denies without signing in', async () => {
    const { page, back } = await stage.open()
    await page.getByRole('button', { name: 'Deny' }).click()
    expect((await back).searchParams.get('error')).toBe('access_denied')
    await page.context().close()
  })

  test('cannot be framed, and runs only its own script', async () => {
    const { page } = await stage.open()
    const consent = page.url()
    const response = await page.goto(consent)
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response?.headers()['x-frame-options']).toBe('DENY')
    await page.goto(`${stage.server.url}/healthz`)
    await page.setContent(`<iframe src="${consent}"></iframe>`)
    await page.waitForLoadState('load')
    const frame = page.frames().at(-1)
    expect(
      await frame
        ?.locator('main')
        .count()
        .catch(() => 0),
    ).toBe(0)
    await page.context().close()
  })
})

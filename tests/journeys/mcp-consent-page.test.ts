import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, startBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { REDIRECT_URI, startAddressedServer } from '#tests/support/mcp/connecting.ts'
import type { TestServer } from '#tests/support/server.ts'

const APPEARANCES: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
]
const NAME = 'An <b>app</b> & more'

async function complaints(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

describeInBrowser('the consent page', () => {
  let server: TestServer
  let person: Person
  let browser: Browser
  let address: string
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startAddressedServer(), startBrowser()])
    person = await server.signUp()
    const path = '/api/org/create_org?name=The%20Lighthouse'
    expect((await server.call('POST', path, { token: person.token })).status).toBe(201)
    const body = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name: NAME }
    const registered = await server.call('POST', '/mcp/oauth/register', { body })
    address = `${server.url}/mcp/oauth/authorize?${new URLSearchParams({
      client_id: registered.body.client_id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      state: 's',
    })}`
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })

  /** The app that the browser is sent back to is not there; where it is sent is what counts. */
  async function open(
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; back: Promise<URL>; said: string[] }> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('pageerror', (error) => said.push(String(error)))
    const { promise, resolve } = Promise.withResolvers<URL>()
    await page.route(`${new URL(REDIRECT_URI).origin}/**`, async (route) => {
      resolve(new URL(route.request().url()))
      await route.fulfill({ body: 'back' })
    })
    await page.goto(address)
    return { page, back: promise, said }
  }

  const sessions = async (): Promise<number> =>
    (await server.call('GET', '/api/auth/sessions', { token: person.token })).body.data.length

  async function signIn(page: Page, password = person.password): Promise<void> {
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test.each(APPEARANCES)('axe finds nothing, at any step: %s', async (_name, options) => {
    const { page, said } = await open(options)
    expect(await complaints(page)).toEqual([])
    await signIn(page, 'not the password')
    await page.getByRole('alert').filter({ hasText: 'Invalid email or password' }).waitFor()
    expect(await complaints(page)).toEqual([])
    await signIn(page)
    await page.getByLabel('Organization').waitFor()
    expect(await complaints(page)).toEqual([])
    const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wide).toBeLessThanOrEqual(0)
    expect(said.filter((text) => !text.includes('401'))).toEqual([])
    await page.context().close()
  })

  test('shows who asks and where one is sent, as text', async () => {
    const { page } = await open()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(`Connect ${NAME} to Parley?`)
    expect(await page.innerText('main')).toContain('an app on this device (127.0.0.1)')
    expect(await page.locator('main b').count()).toBe(0)
    await page.context().close()
  })

  test('by keyboard: signs in, chooses, allows; the session ends with it', async () => {
    const before = await sessions()
    const { page, back } = await open()
    await page.getByLabel('Email').focus()
    await page.keyboard.type(person.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(person.password)
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
    const { page, back } = await open()
    await page.getByRole('button', { name: 'Deny' }).click()
    expect((await back).searchParams.get('error')).toBe('access_denied')
    await page.context().close()
  })

  test('stands in no frame, and runs nothing but its own script', async () => {
    const { page } = await open()
    const consent = page.url()
    const response = await page.goto(consent)
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response?.headers()['x-frame-options']).toBe('DENY')
    await page.goto(`${server.url}/healthz`)
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

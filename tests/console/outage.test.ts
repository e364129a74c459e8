import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { furnish } from '#tests/support/furnish.ts'

/** An outage of the server: each page says so once, keeps its shape, and repeats all failed requests on one click. */

/** Operations that still answer: the shell and the detail pages need them before their parts send requests. */
const ANSWERED = ['/api/users/me', '/api/org/list', '/api/agents/get', '/api/agent_deploy/get', '/api/kb/get']

describeInBrowser('an outage of the server', () => {
  let stage: ConsoleStage
  let person: Person
  let ids: Record<string, string>

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    person = await stage.server.signUp()
    ids = await furnish(stage.server, person)
  }, 120_000)
  afterAll(() => stage?.stop())

  const alerts = (page: Page) => page.getByRole('alert')
  const retry = (page: Page) => page.getByRole('button', { name: 'Retry' })
  const loading = (page: Page) => page.getByRole('status', { name: 'Loading' })

  /** Lets all requests of the page's parts fail. Returns the paths of the requests. */
  async function fail(page: Page): Promise<Set<string>> {
    const failed = new Set<string>()
    await page.route(
      ({ pathname }) => pathname.startsWith('/api/') && !ANSWERED.includes(pathname),
      async (route) => {
        // The preview of a deployment is a page of its own.
        if (route.request().frame() === page.mainFrame()) failed.add(new URL(route.request().url()).pathname)
        const json = { detail: 'The server failed.', code: 'server.internal', request_id: 'req_1' }
        await route.fulfill({ status: 500, json })
      },
    )
    return failed
  }

  /** The pages with the smallest number of requests that fail. */
  const PAGES = [
    ['/', 5],
    ['/models', 2],
    ['/settings', 1],
    ['/agents/$agentId', 4],
    ['/deployments/$deploymentId', 2],
    ['/knowledge/$kbId/documents', 1],
    ['/usage', 3],
  ] as const

  test('is said once on each page, whose shape stays, and one click repeats all requests', async () => {
    const page = await stage.open('about:blank', person)
    const failed = await fail(page)
    await page.goto('/nothing')
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const [path, requests] of PAGES) {
      failed.clear()
      const address = path.replace(/\$(\w+)/, (_, name: string) => ids[name] ?? '')
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`)
      await expect.poll(() => failed.size, { message: path }).toBeGreaterThanOrEqual(requests)
      await expect
        .poll(() => Promise.all([alerts(page), retry(page), loading(page)].map((part) => part.count())), {
          message: path,
        })
        .toEqual([1, 1, 0])
    }
    const repeated = new Set<string>()
    page.on('request', (request) => repeated.add(new URL(request.url()).pathname))
    await page.unrouteAll()
    await retry(page).click()
    await page.getByRole('table', { name: 'Usage by model' }).waitFor()
    await expect.poll(() => alerts(page).count()).toBe(0)
    const ofUsage = [...failed].filter((one) => one.startsWith('/api/billing/'))
    expect(ofUsage.length).toBeGreaterThanOrEqual(3)
    expect(ofUsage.filter((one) => !repeated.has(one))).toEqual([])
    expect(stage.problems).toEqual([])
  })

  test('keeps its notice while the requests are repeated', async () => {
    const page = await stage.open('about:blank', person)
    await fail(page)
    await page.goto('/usage')
    await retry(page).waitFor()
    await expectAccessible(page)
    const { promise, resolve: release } = Promise.withResolvers<void>()
    await page.unrouteAll()
    await page.route('**/api/billing/**', async (route) => {
      await promise
      await route.continue()
    })
    await retry(page).click()
    await loading(page).waitFor()
    expect(await retry(page).isDisabled()).toBe(true)
    release()
    await page.getByRole('table', { name: 'Usage by model' }).waitFor()
    await expect.poll(() => alerts(page).count()).toBe(0)
  })

  test('is said by the notice about the connection alone if there is none', async () => {
    const page = await stage.open('about:blank', person)
    const isOut = ({ pathname }: URL) =>
      pathname === '/' || (pathname.startsWith('/api/') && !ANSWERED.includes(pathname))
    await page.goto('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.route(isOut, (route) => route.abort())
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('The server can’t be reached.').waitFor()
    // The requests are repeated three times before they fail.
    await expect.poll(() => loading(page).count(), { timeout: 60_000 }).toBe(0)
    expect([await alerts(page).count(), await retry(page).count()]).toEqual([0, 1])
    await page.unrouteAll()
    await retry(page).click()
    await page.getByRole('table', { name: 'Usage by model' }).waitFor()
  })

  test('keeps the page if the server fails to send the user again', async () => {
    const page = await stage.open('/account', person)
    await page.getByLabel('First name').fill('Augusta')
    await page.route('**/api/users/me', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 500, json: { detail: 'The server failed.', code: 'server.internal' } })
        : route.continue(),
    )
    const failed = page.waitForResponse(
      (response) => response.url().endsWith('/api/users/me') && response.status() === 500,
    )
    await page.getByLabel('First name').press('Enter')
    await (await failed).finished()
    await page.getByText('Profile saved').first().waitFor()
    expect(await page.getByLabel('First name').inputValue()).toBe('Augusta')
    expect(await alerts(page).count()).toBe(0)
  })

  test('leaves other errors in the part where they happen', async () => {
    const page = await stage.open('about:blank', person)
    await page.route('**/api/billing/usage?*', (route) =>
      route.fulfill({
        status: 403,
        json: { detail: 'Members cannot see the usage.', code: 'org.forbidden' },
      }),
    )
    await page.goto('/')
    const spending = page.getByRole('region', { name: 'Credits' })
    await spending.getByRole('alert').waitFor()
    expect(await alerts(page).count()).toBe(1)
    expect(await retry(page).count()).toBe(0)
  })
})

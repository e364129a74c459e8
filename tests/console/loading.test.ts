import type { Locator, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { furnish } from '#tests/support/furnish.ts'
import { teamOf } from '#tests/support/team.ts'

/** A table stands within the border of its frame. */
const BORDER = 1

/** Pages whose requests take time: they show the shape of their content, and nothing moves when it arrives. */

describeInBrowser('a page of the console that loads', () => {
  let stage: ConsoleStage
  let person: Person
  let administrator: Person
  let ids: Record<string, string>

  beforeAll(async () => {
    stage = await startConsoleStage()
    person = await stage.server.signUp()
    const team = await teamOf(stage.server, person, 'Engines')
    ;[ids, administrator] = await Promise.all([furnish(stage.server, person), team.administrator()])
    const ask = async (method: string, path: string, body: unknown) => {
      const { organizationId, token } = person
      const answer = await stage.server.call(method, `${path}?org_id=${organizationId}`, { token, body })
      expect(answer.status, answer.text).toBeLessThan(300)
    }
    await ask('POST', '/api/api_keys/create', { name: 'Nightly job', permissions: ['chats:read'] })
    await ask('PUT', '/api/billing/budgets/set', { user_id: person.userId, credits_per_month: 500 })
    await ask('POST', '/api/llm/connections/create', {
      name: 'House',
      provider: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
    })
  }, 120_000)
  afterAll(() => stage?.stop())

  const placeholder = (page: Page) => page.getByRole('status', { name: 'Loading' })
  const title = (page: Page) => page.getByRole('heading', { level: 1 })
  const topOf = async (part: Locator): Promise<number> => Math.round((await part.boundingBox())?.y ?? -1)

  /**
   * Holds all requests to an operation until `release` is called. `others` waits until the page has received the
   * responses to its other requests.
   */
  async function hold(page: Page, operation: string) {
    const { promise, resolve: release } = Promise.withResolvers<void>()
    const open = new Set<Request>()
    page.on('request', (request) => open.add(request))
    for (const event of ['requestfinished', 'requestfailed'] as const)
      page.on(event as 'requestfinished', (request) => open.delete(request))
    const isHeld = (request: Request) => new URL(request.url()).pathname === operation
    const others = () => expect.poll(() => [...open].filter((request) => !isHeld(request)).length).toBe(0)
    await page.route(
      ({ pathname }) => pathname === operation,
      async (route) => {
        await promise
        await route.continue()
      },
    )
    return { release, others }
  }
  /** Navigates like a link. Reloading the page for each screen would take several times as long. */
  const go = (page: Page, path: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)

  const LISTS = [
    ['/roles', '/api/roles/list_roles', 'table', 'Roles'],
    ['/members', '/api/users/list', 'table', 'Members and invitations'],
    ['/models', '/api/llm/list', 'list', 'Your models'],
    ['/api_keys', '/api/api_keys/list', 'table', 'API keys'],
    ['/webhooks', '/api/webhooks/list', 'list', 'Webhooks'],
    ['/audit', '/api/audit/list', 'list', 'Entries'],
    ['/usage', '/api/billing/usage', 'table', 'Usage by model'],
    ['/usage?tab=ledger', '/api/billing/ledger', 'table', 'Ledger'],
    ['/usage?tab=budgets', '/api/billing/budgets/list', 'list', 'Budgets'],
    ['/agents', '/api/agents/list', 'table', 'Agents'],
  ] as const
  const ADMIN_LISTS = [
    ['/admin', '/api/org/list_all', 'table', 'Organizations'],
    ['/admin?tab=people', '/api/users/list_all', 'table', 'People'],
  ] as const

  async function expectShapes(page: Page, lists: typeof LISTS | typeof ADMIN_LISTS): Promise<void> {
    const delay = `getComputedStyle(document.querySelector('[role=status][aria-label=Loading]')).animationDelay`
    for (const [path, operation, role, name] of lists) {
      const { release, others } = await hold(page, operation)
      await go(page, path)
      await placeholder(page).waitFor()
      await others()
      expect(await page.evaluate(delay)).toBe('0.15s')
      const heading = await topOf(title(page))
      const top = await topOf(placeholder(page))
      release()
      const list = page.getByRole(role, { name, exact: true })
      await list.waitFor()
      expect(await placeholder(page).count()).toBe(0)
      expect({ [path]: await topOf(title(page)) }).toEqual({ [path]: heading })
      expect(Math.abs((await topOf(list)) - top), path).toBeLessThanOrEqual(BORDER)
    }
  }

  test('shows the shape of its list, where the list appears', async () => {
    await expectShapes(await stage.open('/nothing', person), LISTS)
    const page = await stage.open('/nothing', administrator)
    await expectShapes(page, ADMIN_LISTS)
    // The height of the services depends on what they report.
    const { release } = await hold(page, '/api/installation/status')
    await go(page, '/admin?tab=status')
    await placeholder(page).waitFor()
    release()
    await page.getByRole('table', { name: 'Background jobs' }).waitFor()
    expect(stage.problems).toEqual([])
  })

  test('shows the models with the connections between their lists', async () => {
    const page = await stage.open('/nothing', person)
    const { release } = await hold(page, '/api/llm/connections/list')
    const models = page.waitForResponse((response) => response.url().includes('/api/llm/list'))
    await go(page, '/models')
    await (await models).finished()
    await placeholder(page).waitFor()
    expect(await page.getByRole('list', { name: 'Your models' }).count()).toBe(0)
    await expectAccessible(page)
    release()
    await page.getByRole('list', { name: 'Connections' }).waitFor()
    expect(await page.getByRole('list', { name: 'Your models' }).isVisible()).toBe(true)
  })

  test('holds the place of the credits above the usage', async () => {
    const page = await stage.open('/nothing', person)
    const { release } = await hold(page, '/api/billing/balance')
    await go(page, '/usage')
    const table = page.getByRole('table', { name: 'Usage by model' })
    await table.waitFor()
    const top = await topOf(table)
    release()
    await page.getByText(/falls below [\d,]+\./).waitFor()
    expect(await topOf(table)).toBe(top)
  })

  // No page before lists the record.
  const RECORDS = [
    ['/knowledge/$kbId/settings', '/api/kb/get', /^Library/],
    ['/knowledge/$kbId/documents/$documentId', '/api/kb/get_document', /^Hours$/],
    ['/conversations/$conversationId', '/api/conversation/get_with_sessions', /^Engines$/],
    ['/tools/$toolId', '/api/tools', /./],
    ['/agents/$agentId', '/api/agents/get', /^Clerk$/],
    ['/deployments/$deploymentId', '/api/agent_deploy/get', /./],
  ] as const

  test('has no other title than the name of its record', async () => {
    const page = await stage.open('/nothing', person)
    await title(page).waitFor()
    for (const [path, operation, name] of RECORDS) {
      const tab = await page.title()
      const { release } = await hold(page, operation)
      await go(
        page,
        path.replaceAll(/\$(\w+)/g, (_, parameter: string) => ids[parameter] ?? ''),
      )
      const waiting = page.getByRole('heading', { level: 1, name: 'Loading' })
      await waiting.waitFor()
      expect(await page.title()).toBe(tab)
      const { y, height } = (await waiting.boundingBox()) ?? {}
      release()
      await waiting.waitFor({ state: 'detached' })
      const text = await title(page).innerText()
      expect(text).toMatch(name)
      await expect.poll(() => page.title()).toBe(`${text} · Parley`)
      expect({ [path]: await title(page).boundingBox() }).toMatchObject({ [path]: { y, height } })
    }
  })

  test('takes the name of a record from the list where it was chosen', async () => {
    const page = await stage.open('/agents', person)
    const { release } = await hold(page, '/api/agents/get')
    await page.getByRole('link', { name: 'Clerk' }).click()
    await placeholder(page).waitFor()
    expect(await title(page).innerText()).toBe('Clerk')
    await expect.poll(() => page.title()).toBe('Clerk · Parley')
    release()
    await page.getByLabel('Name', { exact: true }).waitFor()
  })
})

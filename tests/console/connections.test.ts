import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type Colleagues, colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { echo, startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'

/** Connections: created with each authentication type, shared, used in other clients, and disconnected. */

const KEY = 'a-good-key'

/** Timeout of waits. Generous, because a busy machine is slow. */
const SOON = { timeout: 60_000 }

describeInBrowser('connections in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let colleagues: Colleagues
  let keyed: TestMcpServer
  let tracker: AuthorizedMcpServer

  beforeAll(async () => {
    ;[stage, keyed, tracker] = await Promise.all([
      startConsoleStage(),
      startMcpServer({
        tools: [echo],
        before(request, response) {
          if (request.headers['x-api-key'] === KEY) return false
          response.writeHead(401).end()
          return true
        },
      }),
      startAuthorizedMcpServer(),
    ])
    owner = await stage.server.signUp()
    colleagues = colleaguesOf(stage.server, owner)
    const keeper = await agentKeeper(stage.server, owner)
    await keeper.make({ name: 'Concierge' })
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await Promise.all([keyed?.close(), tracker?.close()])
  })

  const open = (path: string, person = owner) =>
    stage.open(`${path}${path.includes('?') ? '&' : '?'}org_id=${owner.organizationId}`, person)
  const own = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Your connections' }).getByRole('listitem').filter({ hasText: name })
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  /** Signs in at the provider in the window that opens, which closes by itself. */
  async function signInThere(page: Page): Promise<void> {
    const window = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Continue' }).click()
    const popup = await window
    if (!popup.isClosed()) await popup.waitForEvent('close')
  }

  test('a system administrator adds and edits servers', async () => {
    const login = { email: 'admin@localhost', password: 'administrator' }
    const { body } = await stage.server.call('POST', '/api/auth/login', { body: login })
    const organizationId = body.user.organizations[0].id
    const administrator = {
      ...owner,
      token: body.access_token,
      refreshToken: body.refresh_token,
      organizationId,
    }
    const page = await stage.open(`/connections?tab=catalogue&org_id=${organizationId}`, administrator)
    await page.getByRole('button', { name: 'Add server' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Finder')
    expect(await dialog.getByLabel('Short name').inputValue()).toBe('finder')
    await dialog.getByLabel('URL', { exact: true }).fill(`${stage.server.url}/mcp`)
    await dialog.getByLabel('Description').fill('Finds lost umbrellas')
    await dialog.getByLabel('Authentication').selectOption('api_key')
    await dialog.getByLabel('API key header').fill('X-Api-Key')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').getByText('must not be an address of this installation').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('URL', { exact: true }).fill(keyed.url)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.waitFor({ state: 'detached' })

    // Servers that are not set up follow all others, and system administrators can set them up.
    const others = page.getByRole('region', { name: 'Not set up yet' })
    await others.getByText('after you have entered their sign-in settings').waitFor()
    await others
      .getByRole('button', { name: /^Set up / })
      .first()
      .click()
    await dialog.getByLabel('Authentication').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Add server' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Tracker')
    await dialog.getByLabel('URL', { exact: true }).fill(tracker.url)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Search servers').fill('tracker')
    await page.getByRole('link', { name: 'Tracker', exact: true }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await expect.poll(() => page.getByLabel('URL', { exact: true }).inputValue(), SOON).toBe(tracker.url)
    await page.getByLabel('Description').fill('Issues and projects')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Tracker' }).getByText('Issues and projects').waitFor()
    await expectAccessible(page)
  })

  test('a server is found and connected with an API key; a wrong key shows an error and stays in the field', async () => {
    const page = await open('/connections')
    await page.getByRole('heading', { name: 'No connections yet' }).waitFor()
    await page.getByRole('link', { name: 'Browse servers' }).click()
    await page.getByRole('list', { name: 'Servers' }).waitFor()
    const others = page.getByRole('region', { name: 'Not set up yet' })
    await others.getByText('after a system administrator has set them up').waitFor()
    expect(await others.getByRole('button').count()).toBe(0)
    await expectAccessible(page)
    await page.getByLabel('Search servers').fill('lost umbrellas')
    await page.getByRole('link', { name: 'Connect Finder' }).click()
    await page.getByLabel('API key for Finder').fill('a-bad-key')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('does not accept this API key').waitFor()
    expect(await page.getByLabel('API key for Finder').inputValue()).toBe('a-bad-key')
    await expectAccessible(page)
    await page.getByLabel('API key for Finder').fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByText('Finder is connected').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('listitem').getByText('Connected').waitFor()
    await expect.poll(() => page.evaluate('localStorage.getItem("parley.mcp_attempts")')).toBe('[]')
    await page.getByLabel('Search servers').fill('nothing like this')
    await page.getByRole('heading', { name: 'No matching servers' }).waitFor()
  })

  test('OAuth sign-in in a window; the connection is renamed, shared, used in another client and disconnected', async () => {
    const page = await open('/connections?tab=catalogue&q=issues+projects+tracker')
    await page.getByRole('link', { name: 'Connect Tracker' }).click()
    await signInThere(page)
    await page.getByText('Tracker is connected').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Your connections' }).click()
    await own(page, 'Tracker').getByText('Active').waitFor()

    await act(page, 'Tracker', 'Name and sharing')
    await page.getByLabel('Name', { exact: true }).fill('Work account')
    await page.getByRole('button', { name: /Shared with agents/ }).click()
    await page.getByRole('option', { name: 'Concierge' }).click()
    await page.keyboard.press('Escape')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await own(page, 'Work account').getByText('Shared with 1 agent').waitFor()
    await expectAccessible(page)

    await act(page, 'Work account', 'Use in another MCP client')
    await page.getByRole('button', { name: 'Create URL' }).click()
    await expect
      .poll(() => page.getByRole('group', { name: 'URL' }).innerText(), SOON)
      .toContain(`${stage.server.url}/api/mcp/gateway/`)
    await expectAccessible(page)
    // The notice "Changes saved" may have appeared after the dialog. It does not take the key from it.
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Work account' }).click()
    const drawer = page.getByRole('dialog', { name: 'Tracker' })
    await drawer.getByText('echo', { exact: true }).click()
    await drawer.getByText('Repeats its input').waitFor()
    await drawer.getByRole('button', { name: 'Refresh tools' }).click()
    await drawer.getByText('Refreshed just now').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    await act(page, 'Work account', 'Disconnect')
    await page.getByText('1 agent loses its tools').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(() => own(page, 'Work account').count(), SOON).toBe(0)
    await page.getByRole('button', { name: 'Parley as an MCP server' }).click()
    await page.getByText('Use Parley in your MCP client').waitFor()
    await expectAccessible(page)
  })

  test('if windows are blocked, sign-in uses the tab and shows errors', async () => {
    const page = await open('/connections?tab=catalogue&q=tracker')
    await page.evaluate('window.open = () => null')
    tracker.faults.tokenStatus = 500
    await page.getByRole('link', { name: 'Connect Tracker' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Couldn’t connect Tracker' }).waitFor()
    await expectAccessible(page)
    delete tracker.faults.tokenStatus
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.evaluate('window.open = () => null')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Tracker is connected' }).waitFor()
    await page.getByText(owner.email).last().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Go to connections' }).click()
    await own(page, 'Tracker').getByText('Active').waitFor()
  })

  test('a connection started elsewhere is confirmed only by the user who started it', async () => {
    const servers = await stage.server.call('GET', `/api/mcp/list_servers?org_id=${owner.organizationId}`, {
      token: owner.token,
    })
    const server = servers.body.servers.find((one: { name: string }) => one.name === 'Tracker')
    const begin = async (person: Person, more = {}) => {
      const { body } = await stage.server.call(
        'POST',
        `/api/mcp/connect_account?org_id=${owner.organizationId}`,
        { token: person.token, body: { server_id: server.id, ...more } },
      )
      return body.redirect_url as string
    }
    // Use a new session, because this test signs out, and other tests need the owner's session.
    const { email, password } = owner
    const { body: session } = await stage.server.call('POST', '/api/auth/login', {
      body: { email, password },
    })
    const { access_token: token, refresh_token: refreshToken } = session
    const { body: instances } = await stage.server.call(
      'GET',
      `/api/mcp/list_instances?org_id=${owner.organizationId}`,
      { token },
    )
    const tracked = instances.find((one: { server_name: string }) => one.server_name === 'Tracker')
    const page = await open('/connections', { ...owner, token, refreshToken })
    await own(page, 'Tracker').waitFor()
    await page.goto(await begin(owner, { mcp_instance_id: tracked.id }))
    await page.getByRole('heading', { name: 'Connect Tracker?' }).waitFor()
    await page.getByText(`for ${owner.email}`).waitFor()
    expect(page.url()).toBe(`${stage.server.url}/connections/confirm`)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Tracker is connected' }).waitFor()
    await page.getByRole('link', { name: 'Go to connections' }).click()
    await own(page, 'Tracker').getByText('Active').waitFor()

    const stranger = await colleagues.join('member')
    await page.goto(await begin(stranger))
    await page.getByRole('heading', { name: 'Someone else started this connection' }).waitFor()
    await page.getByText(`${stranger.email[0]}•••@example.com started connecting Tracker`).waitFor()
    expect(await page.getByRole('button', { name: 'Connect' }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign in as another user' }).click()
    await page.getByLabel('Email').fill(stranger.email)
    await page.getByLabel('Password').fill(stranger.password)
    expect(page.url()).not.toContain('mt_')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Tracker is connected' }).waitFor()

    await page.goto(`/connections/confirm#mt_${'x'.repeat(43)}`)
    await page.getByRole('heading', { name: 'Nothing to connect' }).waitFor()
    // Text from the URL is never shown.
    await page.goto(`/mcp/callback?mcp_session_id=${crypto.randomUUID()}&error=Call+this+number`)
    await page.getByRole('heading', { name: 'Connection not found' }).waitFor()
    expect(await page.getByText('Call this number').count()).toBe(0)
  })

  test('an inactive connection shows the reason and is reconnected; guests cannot connect', async () => {
    const page = await open('/connections')
    tracker.endAccessTokens()
    tracker.faults.refuseRefresh = true
    await page.getByRole('link', { name: 'Tracker' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Refresh tools' }).click()
    await page.getByRole('dialog').getByRole('status').last().waitFor()
    await page.keyboard.press('Escape')
    // The dialog is part of the URL, so a page that is loaded again before it closes opens it again.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await own(page, 'Tracker').getByRole('button', { name: 'Reconnect' }).waitFor()
    await expectAccessible(page)
    delete tracker.faults.refuseRefresh
    await own(page, 'Tracker').getByRole('button', { name: 'Reconnect' }).click()
    await signInThere(page)
    await page.getByText('Tracker is connected').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await own(page, 'Tracker').getByText('Active').waitFor()

    const guest = await colleagues.join('guest')
    const other = await open('/connections?tab=catalogue&q=finder', guest)
    await other.getByRole('link', { name: 'Finder' }).waitFor()
    expect(await other.getByRole('link', { name: 'Connect Finder' }).count()).toBe(0)
    expect(stage.problems).toEqual([])
  })
})

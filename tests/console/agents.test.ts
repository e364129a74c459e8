import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type Colleagues, colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { echo, startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Creates agents, adds tools, knowledge and connections, tests and deletes them. */

/** The number of agents that the list loads at once. */
const PAGE_SIZE = 50

const INPUT = { name: 'text', type: 'str', description: 'What to say', required: true }

const LENT = (index: number) => `export function lent${index}({ text }) { return { text } }`

describeInBrowser('agents in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let keeper: AgentKeeper
  let colleagues: Colleagues
  let upstream: TestMcpServer

  beforeAll(async () => {
    ;[stage, upstream] = await Promise.all([startConsoleStage(), startMcpServer({ tools: [echo] })])
    owner = await stage.server.signUp()
    keeper = await agentKeeper(stage.server, owner)
    colleagues = colleaguesOf(stage.server, owner)
    const smith = toolsmith(stage.server, owner)
    await smith.make({
      function: 'shout',
      code: 'export function shout({ text }) { return { loud: text.toUpperCase() + config.mark } }',
      inputs: [INPUT],
      configuration: [
        { name: 'mark', type: 'str', description: 'Stands at the end', default: '!' },
        { name: 'api_key', type: 'str', description: 'Of your account', required: true },
      ],
      fields: { name: 'Shout', description: 'Says it louder' },
    })
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await upstream?.close()
  })

  const open = (path: string, person = owner) =>
    stage.open(`${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`, person)
  const isSaved = (page: Page) => page.getByText('All changes saved').waitFor()
  const api = async (method: string, path: string, person = owner, body?: unknown) => {
    const answer = await stage.server.call(method, path, { token: person.token, body })
    expect(answer.text, `${answer.status}`).toSatisfy(() => answer.status < 400)
    return answer.body
  }

  test('an agent is created and edited, and leaving with unsaved changes asks first', async () => {
    const page = await open('/agents')
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByLabel('Name').fill('Concierge')
    await page.getByLabel('Description').fill('Answers guests')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create agent' }).click()

    await page.getByRole('heading', { level: 1, name: 'Concierge' }).waitFor()
    await isSaved(page)
    await page.getByLabel('Instructions').fill('You are the concierge of a small hotel.')
    await page.getByLabel('Temperature').fill('0.2')
    await page.getByText('Unsaved changes').waitFor()
    await page.getByText('Uses the last saved version.').waitFor()
    await page.getByRole('link', { name: 'Agents' }).first().click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.waitFor()
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('Control+s')
    await isSaved(page)
    await page.reload()
    await isSaved(page)
    expect(await page.getByLabel('Instructions').inputValue()).toContain('small hotel')
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.2')
    await page.getByRole('link', { name: 'Agents' }).first().click()
    await page.getByRole('row', { name: /Concierge/ }).waitFor()
    await expectAccessible(page)
  })

  test('the list shows its shape while it loads, recovers from a failure, and searches all agents', async () => {
    const crowd = await agentKeeper(stage.server)
    await crowd.make({ name: 'Needle', description: 'The oldest of more than one page' })
    for (let number = 1; number <= PAGE_SIZE; number++) await crowd.make({ name: `Straw ${number}` })
    const page = await stage.open('about:blank', crowd.person)
    const path = /\/api\/agents\/list\?/
    const failure = { detail: 'The database is away.', code: 'server.unavailable' }
    const held = Promise.withResolvers<void>()
    await page.route(path, async (route) => {
      await held.promise
      await route.fulfill({ status: 500, json: failure, headers: { 'retry-after': '0' } })
    })
    await page.goto('/agents')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    const delay = `getComputedStyle(document.querySelector('[role=status][aria-label=Loading]')).animationDelay`
    expect(await page.evaluate(delay)).toBe('0.15s')
    await expectAccessible(page)
    held.resolve()
    await page.getByRole('alert').getByText('The database is away.').waitFor()
    await page.unroute(path)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('link', { name: `Straw ${PAGE_SIZE}` }).waitFor()
    expect(await page.getByRole('link', { name: 'Needle' }).count()).toBe(0)

    const search = page.getByRole('searchbox', { name: 'Search agents' })
    await search.fill('needle')
    await page.getByRole('link', { name: 'Needle' }).waitFor()
    await page.getByRole('link', { name: `Straw ${PAGE_SIZE}` }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'Needle' }).waitFor()
    await search.fill('pin')
    await page.getByText('No results for “pin”.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear search' }).click()
    await page.getByRole('link', { name: `Straw ${PAGE_SIZE}` }).waitFor()
    expect(await search.inputValue()).toBe('')
  })

  test('a duplicate name shows an error, and the edits stay', async () => {
    await keeper.make({ name: 'Librarian' })
    const id = await keeper.make({ name: 'Porter' })
    const page = await open(`/agents/${id}`)
    await page.getByLabel('Name').fill('Librarian')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('An agent with this name already exists').waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Librarian')
    await page.getByRole('button', { name: 'Discard' }).click()
    await isSaved(page)
    expect(await page.getByLabel('Name').inputValue()).toBe('Porter')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('a tool is configured, its secret stays hidden, and a test chat calls it', async () => {
    const id = await keeper.make({ name: 'Crier' })
    const page = await open(`/agents/${id}`)
    await page.getByRole('button', { name: 'Choose tools' }).click()
    await page.getByRole('option', { name: /Shout/ }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('mark (text, optional)').fill('?!')
    await page.getByRole('button', { name: 'Save' }).click()
    // The required field `api_key` is empty, so the browser focuses it instead of submitting the form.
    await page.locator('input[type=password]:focus').waitFor()
    await page.getByLabel('api_key (text)').fill('secret-1234')
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    await page.getByPlaceholder('Unchanged if blank').waitFor()
    const { body } = await keeper.get(id)
    expect(body.tools[0].config).toEqual([
      { name: 'mark', value: '?!' },
      { name: 'api_key', value: null },
    ])

    await page.getByLabel('Message', { exact: true }).fill('TOOL:shout={"text":"hear"}')
    await page.keyboard.press('Enter')
    const call = page.getByRole('group', { name: 'Call to shout' })
    await call.getByText('Done').waitFor()
    await call.getByRole('button').first().click()
    await page.getByRole('group', { name: 'result' }).getByText('HEAR?!').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await expectAccessible(page)
    const chats = () => api('GET', `/api/chat/list?org_id=${owner.organizationId}`)
    expect((await chats()).data).toMatchObject([{ title: 'Test: Crier' }])
    await page.setViewportSize({ width: 375, height: 740 })
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByText('Tests use the saved version of the agent').waitFor()
    await expectAccessible(page)
    await expect.poll(async () => (await chats()).data).toEqual([])
  })

  test('an agent gets a knowledge base and a connection', async () => {
    const kb = await api('POST', `/api/kb/create?org_id=${owner.organizationId}`, owner, {
      name: 'House rules',
      description: '',
      embedding_model: 'local',
      sources: [{ type: 'text', config: { name: 'rules', content: 'Breakfast is from 7 to 10.' } }],
    })
    await connect()
    const id = await keeper.make({ name: 'Host' })
    const page = await open(`/agents/${id}`)
    await page.getByRole('button', { name: 'Choose knowledge bases' }).click()
    await page.getByRole('option', { name: /House rules/ }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Parrot').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await isSaved(page)
    const { body } = await keeper.get(id)
    expect(body).toMatchObject({ knowledge_base_ids: [kb.id], mcp_instance_ids: [expect.any(String)] })
    await page.getByRole('button', { name: 'Remove House rules' }).click()
    await page.keyboard.press('Control+s')
    await isSaved(page)
    await expectAccessible(page)
    expect((await keeper.get(id)).body.knowledge_base_ids).toEqual([])

    // Another member sees that the agent has a connection, but not which one.
    const admin = await colleagues.join('admin')
    const other = await open(`/agents/${id}`, admin)
    await other.getByText('Another member shares a connection with this agent.').waitFor()
  })

  /** Connects to a server without authentication. */
  async function connect(): Promise<void> {
    const { body } = await stage.server.call('POST', '/api/auth/login', {
      body: { email: 'admin@localhost', password: 'administrator' },
    })
    const { id } = await api(
      'POST',
      '/api/mcp/servers',
      { ...owner, token: body.access_token },
      {
        name: 'Parrot',
        toolkit_name: 'Parrot',
        toolkit_slug: 'parrot',
        description: 'Says it again',
        url: upstream.url,
        auth_config: { type: 'none' },
      },
    )
    await (await mcpConnector(stage.server, owner)).connect(id)
  }

  test('a deployed agent cannot be deleted until its deployment is deleted', async () => {
    const id = await keeper.make({ name: 'Doorman' })
    const deployment = await api('POST', `/api/agent_deploy/create?org_id=${owner.organizationId}`, owner, {
      agent_id: id,
      name: 'Front door',
      description: '',
      deployment_type: 'api',
      config: {},
    })
    const page = await open(`/agents/${id}`)
    const remove = async () => {
      await page.getByRole('button', { name: 'Agent actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    }
    await remove()
    await page.getByRole('alert').getByText('Front door').waitFor()
    await api('DELETE', `/api/agent_deploy/delete?deployment_id=${deployment.id}`)
    await page.getByLabel('Name').fill('Unsaved')
    await remove()
    await page.getByRole('table').waitFor()
    expect(new URL(page.url()).pathname).toBe('/agents')
    expect(await page.getByRole('link', { name: 'Doorman' }).count()).toBe(0)
  })

  test('without permission to edit, the form is read-only, and a lost permission shows an error', async () => {
    const id = await keeper.make({ name: 'Guide' })
    const admin = await colleagues.join('admin')
    const page = await open(`/agents/${id}`, admin)
    await page.getByLabel('Description').fill('Shows the way')
    await colleagues.demote(admin, 'guest')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Missing permission: agent:write').waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('Your role can’t edit agents.').waitFor()
    await page.getByText('Your role can’t chat with agents.').waitFor()
    expect(await page.getByLabel('Name').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Agents' }).first().click()
    await page.getByRole('link', { name: 'Guide' }).waitFor()
    expect(await page.getByRole('button', { name: 'Create agent' }).count()).toBe(0)
  })

  test('a public agent of another organization can only be tested', async () => {
    const id = await keeper.make({ name: 'Herald', is_public: true })
    const stranger = await stage.server.signUp()
    const page = await open(`/agents/${id}`, stranger)
    await page.getByRole('heading', { name: 'Public agent from another organization' }).waitFor()
    await page.getByLabel('Message', { exact: true }).fill('Good morning')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('not a language model').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await expectAccessible(page)
    const gone = await open('/agents/01890a5d-ac96-774b-bcce-b302099a8057')
    await gone.getByRole('alert').getByText('Agent not found').waitFor()
    // The same request would fail again. The way out is the link above.
    expect(await gone.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await gone.getByRole('main').getByRole('link', { name: 'Agents' }).waitFor()
    await expectAccessible(gone)
    expect(stage.problems).toEqual([])
  })

  test('a change of a tool by its author is confirmed', async () => {
    const author = await stage.server.signUp()
    const smith = toolsmith(stage.server, author)
    const configuration = [{ name: 'api_key', type: 'str', description: 'Of your account' }]
    const named = (name: string) => ({ name, is_public: true })
    const [first, second] = await Promise.all(
      ['Lent', 'Also lent'].map((name, index) =>
        smith.make({ configuration, function: `lent${index}`, code: LENT(index), fields: named(name) }),
      ),
    )
    const config = [{ name: 'api_key', value: 'k' }]
    const agentId = await keeper.make({ tools: [first, second].map((tool_id) => ({ tool_id, config })) })
    for (const tool_id of [first, second])
      await smith.call(
        'PUT',
        '',
        { org_id: author.organizationId, tool_id: tool_id as string },
        { configuration: [{ ...configuration[0], description: 'Another one' }] },
      )
    const page = await open(`/agents/${agentId}`)
    const notice = page.getByRole('group', { name: 'Change of Lent' })
    await notice.getByText('until you confirm the change').waitFor()
    await expectAccessible(page)
    await notice.getByRole('button', { name: 'Confirm change' }).click()
    await page.getByText('Change of Lent confirmed', { exact: true }).waitFor()
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'Change of Also lent' }).waitFor()
    const { tools } = await api('GET', `/api/agents/get?agent_id=${agentId}`)
    expect(tools).toMatchObject([{ needs_confirmation: false }, { needs_confirmation: true }])
  })
})

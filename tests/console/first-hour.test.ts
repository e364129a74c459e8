import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { startProvider } from '#tests/support/provider/index.ts'

/** The first hour of a new user: a provider, the first reply, samples. */

describeInBrowser('the first hour in the console', () => {
  let stage: ConsoleStage
  let provider: Awaited<ReturnType<typeof startProvider>>
  let person: Person

  beforeAll(async () => {
    ;[stage, provider] = await Promise.all([startConsoleStage(), startProvider()])
    person = await stage.server.signUp()
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
  })

  const read = async (path: string) =>
    (await stage.server.call('GET', `${path}?org_id=${person.organizationId}`, { token: person.token })).body

  test('a provider that cannot be reached is explained, and leaves no connection', async () => {
    const page = await stage.open('/', person)
    await page.getByRole('button', { name: 'Another server' }).click()
    await page.getByLabel('Base URL').fill('http://127.0.0.1:9/v1')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('alert').getByText('cannot be reached. Check the base URL').waitFor()
    await expectAccessible(page)
    expect((await read('/api/llm/connections/list')).data).toEqual([])
  })

  test('from the first visit to a reply of a provider, it takes at most four clicks and one pasted key', async () => {
    const page = await stage.open('/', person)
    await page.getByRole('heading', { name: 'Connect a language model' }).waitFor()
    await expectAccessible(page)
    let clicks = 0
    const click = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click()
      clicks++
    }
    await click('Another server')
    await page.getByLabel('Base URL').fill(`${provider.url}/v1`)
    await page.getByLabel('API key').fill('key-of-ada')
    await click('Connect')
    await page.getByRole('checkbox', { checked: true }).waitFor()
    await expectAccessible(page)
    await click('Start chatting')
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('say: Welcome aboard')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: 'Reply' }).getByText('Welcome aboard').waitFor()
    expect(clicks).toBeLessThanOrEqual(4)
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer key-of-ada')
    const { organization_model_id, model_id } = await read('/api/llm/defaults')
    expect(organization_model_id).toBe(model_id)
  })

  test('more models of the connection need no key', async () => {
    const page = await stage.open('/models', person)
    const connection = page
      .getByRole('list', { name: 'Connections' })
      .getByRole('listitem', { name: 'OpenAI-compatible' })
    await connection.getByText('1 model').waitFor()
    await expectAccessible(page)
    await connection.getByRole('button', { name: 'Add models' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add models' }).click()
    await connection.getByText('2 models').waitFor()
  })

  test('if a part of the home page fails, the page says so once, and the rest stays', async () => {
    const page = await stage.open('about:blank', person)
    const path = /\/api\/chat\/list\?/
    const failure = { detail: 'The database is away.', code: 'server.unavailable' }
    await page.route(path, (route) =>
      route.fulfill({ status: 500, json: failure, headers: { 'retry-after': '0' } }),
    )
    await page.goto('/')
    await page.getByRole('region', { name: 'Recent chats' }).waitFor()
    await page.getByRole('alert').getByText('The database is away.').waitFor()
    await page.getByRole('region', { name: 'Credits' }).getByText('available').waitFor()
    await expectAccessible(page)
    await page.unroute(path)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('a sample knowledge base and a sample agent are added and removed with one click each', async () => {
    const page = await stage.open('/', person)
    const card = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await card('Add a document').getByRole('button', { name: 'Add a sample' }).click()
    await page.getByText('Sample knowledge base added').first().waitFor()
    await card('Create an agent').getByRole('button', { name: 'Add a sample' }).click()
    await page.getByText('Sample agent added').first().waitFor()
    await expectAccessible(page)
    const [{ data: agents }, { data: bases }] = await Promise.all([
      read('/api/agents/list'),
      read('/api/kb/list'),
    ])
    expect(agents[0].knowledge_base_ids).toEqual([bases[0].id])
    expect(agents[0].model_id).toBe((await read('/api/llm/defaults')).model_id)
    await page.reload()
    await card('Create an agent').getByRole('button', { name: 'Remove the sample' }).click()
    await card('Create an agent').getByRole('button', { name: 'Add a sample' }).waitFor()
    await card('Add a document').getByRole('button', { name: 'Remove the sample' }).click()
    await card('Add a document').getByRole('button', { name: 'Add a sample' }).waitFor()
    expect((await read('/api/kb/list')).data).toEqual([])
    expect(stage.problems).toEqual([])
  })
})

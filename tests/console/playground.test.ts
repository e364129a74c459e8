import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '#tests/support/console-stage.ts'
import { startMcpServer, type TestMcpServer, textResult } from '#tests/support/mcp/index.ts'

/** The playground: finds, connects and uses a server, and clears the history. */

describeInBrowser('the playground in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let weather: TestMcpServer

  beforeAll(async () => {
    ;[stage, weather] = await Promise.all([
      startConsoleStage(),
      startMcpServer({
        tools: [
          { name: 'forecast', run: ({ place }) => textResult(`Sunny in ${place}`) },
          {
            name: 'alerts',
            run() {
              throw new Error('The service is closed')
            },
          },
          {
            name: 'wait',
            run: (_input, { signal }) => new Promise((_, end) => signal.addEventListener('abort', end)),
          },
        ],
      }),
    ])
    owner = await stage.server.signUp()
    const login = { email: 'admin@localhost', password: 'administrator' }
    const { body } = await stage.server.call('POST', '/api/auth/login', { body: login })
    const added = await stage.server.call('POST', '/api/mcp/servers', {
      token: body.access_token,
      body: {
        name: 'Barometer',
        toolkit_name: 'Barometer',
        toolkit_slug: 'barometer',
        description: 'Storms, wind and weather for sailors',
        url: weather.url,
        auth_config: { type: 'none' },
      },
    })
    expect(added.status).toBe(201)
  }, 120_000)
  afterAll(async () => {
    await stage?.stop()
    await weather?.close()
  })

  const open = (path: string, person = owner) => stage.open(`${path}?org_id=${owner.organizationId}`, person)

  test('a task finds a server, connects it and calls its tool, and the history is cleared', async () => {
    const page = await open('/playground')
    const log = page.getByRole('log', { name: 'Messages' })
    const say = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text)
      // The Send button is visible only while no reply is in progress.
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await page.keyboard.press('Enter')
    }
    await log.getByRole('heading', { name: 'What do you want to do?' }).waitFor()
    await page.getByText('Find servers for a task').waitFor()
    await expectAccessible(page)
    await log.getByRole('button', { name: 'List the open issues' }).click()
    await log.getByText('List the open issues that are assigned to me').waitFor()
    await page.getByRole('button', { name: 'Clear history' }).waitFor()
    await say('Weather for sailors: use tool forecast={"place":"Oslo"}')
    const proposed = log.getByRole('list', { name: 'Recommended servers' })
    await proposed.getByRole('button', { name: 'Connect Barometer' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('Barometer is connected').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Connections: Barometer' }).waitFor()
    await expectAccessible(page)

    await log.getByRole('button', { name: 'Retry with selected connections' }).last().click()
    const call = log.getByRole('group').filter({ hasText: 'forecast' }).first()
    await call.getByText('Done').waitFor()
    await call.getByText('forecast', { exact: true }).click()
    await call.getByText('Sunny in Oslo').waitFor()
    await log.getByText('answered:').waitFor()
    await say('use tool alerts={}')
    await log.getByRole('group').filter({ hasText: 'alerts' }).getByText('Failed').waitFor()
    await expectAccessible(page)

    await say('use tool wait={}')
    await log.getByRole('group').filter({ hasText: 'wait' }).getByText('Running').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await log.getByRole('group').filter({ hasText: 'wait' }).getByText('Incomplete').waitFor()

    await page.reload()
    await page.getByRole('button', { name: 'Connections: Barometer' }).waitFor()
    await log.getByText('Earlier messages without their tool calls').waitFor()
    await log.getByText('use tool alerts={}').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Connections: Barometer' }).click()
    await page.getByRole('option', { name: /Barometer/ }).click()
    await page.keyboard.press('Escape')
    await page.getByText('Find servers for a task').waitFor()
    await page.getByRole('button', { name: 'Connections: Choose connections' }).waitFor()
    await page.getByRole('button', { name: 'Clear history' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Clear history' }).click()
    await log.getByText('What do you want to do?').waitFor()
    await page.reload()
    await log.getByText('What do you want to do?').waitFor()
  })

  test('an ended connection and a refused message are shown, and guests can only view', async () => {
    const address = `/playground?with=${encodeURIComponent(JSON.stringify([crypto.randomUUID()]))}&org_id=${owner.organizationId}`
    const page = await stage.open(address, owner)
    await page.getByText('no longer active').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByRole('alert').waitFor()
    await expectAccessible(page)

    const guest = await colleaguesOf(stage.server, owner).join('guest')
    const other = await open('/playground', guest)
    await other.getByText('Your role can view connections').waitFor()
    expect(await other.getByLabel('Message', { exact: true }).count()).toBe(0)
    expect(stage.problems).toEqual([])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** Default models: chosen on the Models page, used where nothing else is chosen. */

describeInBrowser('default models in the console', () => {
  let stage: ConsoleStage
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  const addModel = (name: string, more: object = {}) =>
    team.api('POST', '/api/llm/add', { name, provider: 'demo', version: 'parley-demo', ...more })

  test('the newest model is nobody’s default, least of all after its test failed', async () => {
    await addModel('House model')
    const other = await addModel('Other')
    await addModel('Broken', {
      provider: 'openai-compatible',
      version: 'emu-n2',
      config: { base_url: 'http://127.0.0.1:9/v1', capabilities: ['embedding'] },
    })
    await addModel('Newest')
    const page = await open('/models')
    const item = (name: string) => page.getByRole('listitem', { name, exact: true })
    await item('Broken').getByRole('button', { name: 'Test' }).click()
    await item('Broken').getByText('Test failed:').waitFor()

    const chat = await open('/chats')
    await chat.getByRole('button', { name: 'Model or agent: House model' }).waitFor()
    const agents = await open('/agents')
    await agents.getByRole('button', { name: 'Create agent' }).first().click()
    const chosen = agents.getByRole('button', { name: /^Model: / })
    await expect.poll(() => chosen.innerText()).toBe('House model')

    const menu = async (name: string, choice: string) => {
      await item(name)
        .getByRole('button', { name: `Actions for ${name}` })
        .click()
      await page.getByRole('menuitem', { name: choice }).click()
    }
    await menu('Newest', 'Make default for everyone')
    await item('Newest').getByText('Default', { exact: true }).waitFor()
    await menu('House model', 'Use as my default')
    await item('House model').getByText('Your default').waitFor()
    await expectAccessible(page)

    const { person } = await team.join('member', 'Emmy', 'Noether')
    const theirs = await open('/chats', person)
    await theirs.getByRole('button', { name: 'Model or agent: Newest' }).waitFor()
    const { own_model_id } = await team.api('GET', '/api/llm/defaults', undefined, person)
    expect(own_model_id).toBeNull()

    // A choice in a chat holds for new chats until the default changes.
    await theirs.getByRole('button', { name: 'Model or agent: Newest' }).click()
    await theirs.getByRole('option', { name: /House model/ }).click()
    await theirs.reload()
    await theirs.getByRole('button', { name: 'Model or agent: House model' }).waitFor()
    await team.api('PUT', '/api/llm/update_own_default', { own_model_id: other.id }, person)
    await theirs.reload()
    await theirs.getByRole('button', { name: 'Model or agent: Other' }).waitFor()
    expect(stage.problems).toEqual([])
  })

  test('a slow first Python tool says what it waits for', async () => {
    const page = await open('/tools')
    await page.route('**/api/tools?*', async (route) => {
      if (route.request().method() === 'POST') await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.fulfill({ status: 400, json: { detail: 'Stopped.', code: 'tool.test' } })
    })
    await page.getByRole('button', { name: 'Create tool' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Slow')
    await dialog.getByLabel('Description').fill('Waits')
    await dialog.getByLabel('Language').selectOption('python')
    await dialog.getByRole('button', { name: 'Create tool' }).click()
    await dialog.getByText('The first Python tool takes up to 20 seconds.').waitFor()
    await dialog.getByText('Stopped.').waitFor()
  })

  test('a mistyped link is explained without terms of the API', async () => {
    const page = await open('/agents/not-an-id')
    const alert = page.getByRole('alert')
    await alert.getByText('This link doesn’t lead to anything here.').waitFor()
    expect(await alert.innerText()).not.toMatch(/UUID|agent_id/)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** Models and what they cost: added, tested, priced; what was used, and who may use how much. */

describeInBrowser('models and usage in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, owner, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('a model is added, tested, changed, switched off, and kept while an agent uses it', async () => {
    const page = await open('/models')
    await page.getByRole('heading', { name: 'No models of your own yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add model' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a model' })
    await dialog.getByLabel('Provider').and(page.locator(':focus')).waitFor()
    await dialog.getByLabel('Provider').selectOption('openai-compatible')
    await dialog.getByLabel('Name').fill('House model')
    await dialog.getByLabel('Model', { exact: true }).fill('house-1')
    await dialog.getByLabel('Address').fill('http://10.0.0.1/v1')
    await dialog.getByLabel('Credits an output token').fill('2')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add model' }).click()
    const item = page.getByRole('listitem', { name: 'House model' })
    await item.getByText('1 in, 2 out, credits a token').waitFor()
    await item.getByRole('button', { name: 'Test' }).click()
    await item.getByText('It failed:').waitFor()
    await expectAccessible(page)

    const menu = async (choice: string) => {
      await item.getByRole('button', { name: 'Actions for House model' }).click()
      await page.getByRole('menuitem', { name: choice }).click()
    }
    await menu('Edit')
    await page.waitForURL(/model_id=/)
    await page.getByLabel('Context window').fill('8192')
    await page.getByRole('button', { name: 'Save' }).click()
    await item.getByText('8.2K tokens of context').waitFor()
    await menu('Switch off')
    await item.getByText('Off', { exact: true }).waitFor()
    const { data } = await team.api('GET', '/api/llm/list')
    const model_id = data.find((model: { name: string }) => model.name === 'House model').id
    await team.api('PUT', `/api/llm/update?model_id=${model_id}`, { is_active: true })
    const agent = { name: 'Concierge', description: 'Greets', agent_type: 'chat', model_id, params: {} }
    await team.api('POST', '/api/agents', agent)
    await menu('Delete')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText(/is used by the agent Concierge/)
      .first()
      .waitFor()
  })

  test('a demo model answers its test; what it said is counted, and can be taken along', async () => {
    const demo = { name: 'Demo of ours', provider: 'demo', version: 'parley-demo' }
    const { id } = await team.api('POST', '/api/llm/add', demo)
    const page = await open('/models')
    const item = page.getByRole('listitem', { name: 'Demo of ours' })
    await item.getByRole('button', { name: 'Test' }).click()
    await item.getByText(/It works: answered/).waitFor()

    const usage = await open('/usage')
    await usage.getByRole('heading', { name: 'Nothing was used in this time' }).waitFor()
    await stage.server.say({ ...owner, organizationId: team.id }, { model_id: id }, { content: 'Hello' })
    await usage.reload()
    await usage.getByText(/credits for 1 reply/).waitFor()
    await usage.getByLabel('Period').selectOption('7')
    await usage.getByLabel('Group by').selectOption('user')
    await usage.waitForURL(/days=7.*by=user|by=user.*days=7/)
    await usage.getByRole('cell', { name: owner.email }).waitFor()
    await expectAccessible(usage)
    const [file] = await Promise.all([
      usage.waitForEvent('download'),
      usage.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^usage-.*\.csv$/)

    await usage.getByRole('button', { name: 'Ledger' }).click()
    await usage.getByLabel('Kind').selectOption('Paid')
    // The header, the reply and the chat's title.
    await expect.poll(() => usage.getByRole('row').count()).toBe(3)
    await expectAccessible(usage)
    await usage.reload()
    await usage
      .getByRole('cell', { name: /Paid Ada Lovelace/ })
      .first()
      .waitFor()
  })

  test('budgets and the warning are set by who administers; others only see them', async () => {
    const { person } = await team.join('member', 'Emmy', 'Noether')
    const page = await open('/usage?tab=budgets')
    await page.getByRole('heading', { name: 'No budgets' }).waitFor()
    await page.getByRole('button', { name: 'Set a budget' }).click()
    await page.getByLabel('Member or API key').selectOption(`user ${person.userId}`)
    await page.getByLabel('Credits a month').fill('500')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    const budget = page.getByRole('listitem', { name: 'Emmy Noether' })
    await budget.getByText('0 of 500 credits').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change warning' }).click()
    await page.getByRole('spinbutton', { name: 'Credits', exact: true }).fill('90000000')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Credits are running low.').waitFor()

    const theirs = await open('/usage?tab=budgets', person)
    await theirs.getByText('0 of 500 credits').waitFor()
    expect(await theirs.getByRole('button', { name: /Set a budget|Change/ }).count()).toBe(0)
    await budget.getByRole('button', { name: 'Remove the budget of Emmy Noether' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No budgets' }).waitFor()
  })

  test('the administrator of the installation sets what its models cost', async () => {
    const page = await stage.open('/models', await team.administrator())
    await page.getByRole('button', { name: 'Set the price of Parley demo (no language model)' }).click()
    await page.getByLabel('Credits an output token').fill('3')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 in, 3 out, credits a token').waitFor()
    expect(stage.problems).toEqual([])
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** Models and their prices, usage and budgets. */

describeInBrowser('models and usage in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, owner, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('a model is added, tested, changed and disabled, and kept while an agent uses it', async () => {
    const page = await open('/models')
    await page.getByRole('heading', { name: 'No models of your own yet' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add model' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add model' })
    await dialog.getByLabel('Provider').and(page.locator(':focus')).waitFor()
    await dialog.getByLabel('Provider').selectOption('openai-compatible')
    await dialog.getByLabel('Display name').fill('House model')
    await dialog.getByLabel('Model ID').fill('house-1')
    await dialog.getByLabel('Base URL').fill('http://10.0.0.1/v1')
    await dialog.getByText('Advanced').click()
    await dialog.getByLabel('Credits per output token').fill('2')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add model' }).click()
    const item = page.getByRole('listitem', { name: 'House model' })
    await item.getByText('Credits per token: 1 input, 2 output').waitFor()
    await item.getByRole('button', { name: 'Test' }).click()
    await item.getByText('Test failed:').waitFor()
    await expectAccessible(page)

    const menu = async (choice: string) => {
      await item.getByRole('button', { name: 'Actions for House model' }).click()
      await page.getByRole('menuitem', { name: choice }).click()
    }
    await menu('Edit')
    await page.waitForURL(/model_id=/)
    await page.getByLabel('Context window').fill('8192')
    await page.getByRole('button', { name: 'Save' }).click()
    await item.getByText('8.2K token context').waitFor()
    await menu('Disable')
    await item.getByText('Disabled', { exact: true }).waitFor()
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

  test('a demo model replies to its test; its usage is counted, and can be downloaded', async () => {
    const demo = { name: 'Demo of ours', provider: 'demo', version: 'parley-demo' }
    const { id } = await team.api('POST', '/api/llm/add', demo)
    const page = await open('/models')
    const item = page.getByRole('listitem', { name: 'Demo of ours' })
    await item.getByRole('button', { name: 'Test' }).click()
    await item.getByText(/Connected. Replied/).waitFor()

    const usage = await open('/usage')
    await usage.getByRole('heading', { name: 'No usage in this period' }).waitFor()
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
    await usage.getByLabel('Type').selectOption('Debit')
    // Three rows: the header, the reply and the chat's title.
    await expect.poll(() => usage.getByRole('row').count()).toBe(3)
    await expectAccessible(usage)
    await usage.reload()
    await usage
      .getByRole('cell', { name: /Debit Ada Lovelace/ })
      .first()
      .waitFor()
  })

  test('administrators set budgets and the warning; others only see them', async () => {
    const { person } = await team.join('member', 'Emmy', 'Noether')
    const page = await open('/usage?tab=budgets')
    await page.getByRole('heading', { name: 'No budgets yet' }).waitFor()
    await page.getByRole('button', { name: 'Add budget' }).click()
    await page.getByLabel('Member or API key').selectOption(`user ${person.userId}`)
    await page.getByLabel('Credits per month').fill('500')
    await page.getByText('the last reply can exceed the budget').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    const budget = page.getByRole('listitem', { name: 'Emmy Noether' })
    await budget.getByText('0 of 500 credits').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Edit warning' }).click()
    await page.getByLabel('Threshold (credits)').fill('90000000')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Credits are running low.').waitFor()

    const theirs = await open('/usage?tab=budgets', person)
    await theirs.getByText('0 of 500 credits').waitFor()
    expect(await theirs.getByRole('button', { name: /Add budget|Edit/ }).count()).toBe(0)
    await stage.server.server.services.database
      .sql`update budgets set spent = 450 where user_id = ${person.userId}`
    await theirs.reload()
    await theirs.getByText('You have spent 90% of your budget of 500 credits.').waitFor()
    await team.api('PUT', '/api/billing/budgets/set', { user_id: person.userId, credits_per_month: 0 })
    await theirs.reload()
    await theirs.getByText('Your budget of 0 credits is used up.').waitFor()
    await budget.getByRole('button', { name: 'Remove budget of Emmy Noether' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No budgets yet' }).waitFor()
  })

  test('a system administrator sets the prices of its models', async () => {
    const page = await stage.open('/models', await team.administrator())
    await page.getByRole('button', { name: 'Edit price of Parley demo (no language model)' }).click()
    await page.getByLabel('Credits per output token').fill('3')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Credits per token: 1 input, 3 output').waitFor()
    expect(stage.problems).toEqual([])
  })
})

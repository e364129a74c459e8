import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type Colleagues, colleaguesOf } from '#tests/support/colleagues.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { talk } from '#tests/support/deployments.ts'

/** Deployments: creation, appearance, install code, usage, pausing, new keys, deletion. */

/** Timeout of waits. Generous, because a busy machine is slow. */
const SOON = { timeout: 60_000 }

describeInBrowser('deployments in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let colleagues: Colleagues
  let agentId: string

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    owner = await stage.server.signUp()
    colleagues = colleaguesOf(stage.server, owner)
    const keeper = await agentKeeper(stage.server, owner)
    agentId = await keeper.make({ name: 'Concierge' })
  }, 120_000)
  afterAll(() => stage?.stop())

  const open = (path: string, person = owner) =>
    stage.open(`${path}${path.includes('?') ? '&' : '?'}org_id=${owner.organizationId}`, person)
  const toTab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Deployment' }).getByRole('button', { name }).click()
  const preview = (page: Page) => page.frameLocator('iframe[title="Chat preview"]')

  /** Creates a deployment and returns its key. */
  async function deploy(page: Page, name: string, type: string): Promise<string> {
    await page.getByRole('button', { name: 'Create deployment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Agent' }).click()
    await page.getByRole('option', { name: 'Concierge' }).click()
    await dialog.getByRole('radio', { name: type }).check()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Create deployment' }).click()
    await page.getByRole('dialog', { name: `${name} is ready` }).waitFor()
    const key = await page.getByRole('dialog').locator('code').innerText()
    return key
  }

  test('a chat for a website: from the agent to the install code, with its own appearance', async () => {
    const page = await open('/deployments')
    await page.getByRole('heading', { name: 'No deployments yet' }).waitFor()
    await expectAccessible(page)
    // The URL that an agent's page links to.
    await page.goto(`/deployments?agent_id=${agentId}&org_id=${owner.organizationId}`)
    const dialog = page.getByRole('dialog', { name: 'Create deployment' })
    await dialog.getByRole('button', { name: 'Agent: Concierge' }).waitFor()
    await dialog.getByLabel('Name').fill('Shop window')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByText('It isn’t shown again').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show install code' }).click()

    await page.getByRole('heading', { level: 1, name: 'Shop window' }).waitFor()
    const script = page.getByRole('group', { name: 'Script tag' })
    const id = /deployments\/([\w-]+)/.exec(page.url())?.[1] ?? ''
    expect(await script.innerText()).toContain(`src="${stage.server.url}/widget.js?deployment=${id}"`)
    await expectAccessible(page)

    await toTab(page, 'Appearance and limits')
    await preview(page).getByText('Shop window').first().waitFor()
    await page.getByLabel('Company name').fill('The Lighthouse')
    await page.getByLabel('Color', { exact: true }).fill('#0f766e')
    await preview(page).getByText('Hello, how can I help you?').waitFor()
    await page.getByLabel('Welcome message').fill('Ahoy there')
    await page.getByLabel('Starter questions').fill('When do you open?\n\nWhere are you?')
    // The preview shows changes before they are saved.
    await preview(page).getByText('Ahoy there').waitFor()
    await preview(page).getByText('The Lighthouse').first().waitFor()
    await preview(page).getByRole('button', { name: 'Where are you?' }).waitFor()
    await preview(page).locator('html[style*="#0f766e"]').waitFor()
    await page.getByLabel('Allowed websites').fill('www.example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('is not a valid origin').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Allowed websites').fill('https://www.example.com')
    await page.getByLabel('Messages per day').fill('50')
    // Switching tabs keeps unsaved changes.
    await toTab(page, 'Overview')
    await toTab(page, 'Appearance and limits')
    await page.keyboard.press('Control+s')
    await page.getByText('All changes saved').waitFor()
    await page.reload()
    await preview(page).getByText('Ahoy there').waitFor()
    await preview(page).getByRole('button', { name: 'When do you open?' }).waitFor()
    await toTab(page, 'Install')
    await page.getByText('Only pages of https://www.example.com can show the chat').waitFor()
  })

  test('messages in the preview count; a paused chat is closed; readers have no actions', async () => {
    const page = await open('/deployments')
    await page.getByRole('link', { name: 'Shop window' }).click()
    await preview(page).getByRole('textbox').fill('Is there a key for me?')
    await preview(page).getByRole('textbox').press('Enter')
    await preview(page).getByText('Parley demo').waitFor()
    const id = /deployments\/([\w-]+)/.exec(page.url())?.[1] ?? ''
    const used = async () => {
      const path = `/api/agent_deploy/usage?deployment_id=${id}`
      return (await stage.server.call('GET', path, { token: owner.token })).body.totals.messages
    }
    await expect.poll(used, SOON).toBe(1)
    await page.reload()
    await page.getByText('Peak: 1').waitFor()
    await page.getByLabel('Period').selectOption('7')
    await expect.poll(() => page.url(), SOON).toContain('days=7')
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('visitors see that the chat is closed').waitFor()
    const guest = await colleagues.join('guest')
    const other = await open('/deployments', guest)
    const row = other.getByRole('row', { name: /Shop window/ })
    await row.getByText('Paused').waitFor()
    await row.getByText('1 of 50').waitFor()
    await row.getByText('Concierge').waitFor()
    expect(await other.getByRole('button', { name: 'Create deployment' }).count()).toBe(0)
    await other.getByRole('link', { name: 'Shop window' }).click()
    await toTab(other, 'Appearance and limits')
    await other.getByText('You don’t have permission to change this deployment').waitFor()
    expect(await other.getByLabel('Company name').isDisabled()).toBe(true)
    expect(await other.getByRole('button', { name: /Pause|Resume|More actions/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Resume' }).click()
    // Other open pages are updated.
    await other.getByText('Active', { exact: true }).waitFor()
  })

  test('a deployment for programs: its key works until it is regenerated; then it is deleted', async () => {
    const page = await open('/deployments')
    await page.getByRole('row', { name: /Shop window/ }).waitFor()
    const key = await deploy(page, 'Nightly job', 'API')
    await page.getByRole('button', { name: 'Show API examples' }).click()
    for (const label of ['curl', 'TypeScript', 'Python'])
      await page.getByRole('group', { name: label }).waitFor()
    await expectAccessible(page)
    expect((await talk(stage.server, key, { content: 'Hello' })).status).toBe(200)

    await toTab(page, 'Key')
    await page.getByText('The current key starts with').waitFor()
    await page.getByRole('button', { name: 'Regenerate key' }).click()
    await expectAccessible(page)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Regenerate key' }).click()
    await page.getByText('It isn’t shown again').waitFor()
    await expectAccessible(page)
    const renewed = await page.locator('code').last().innerText()
    expect((await talk(stage.server, key, { content: 'Hello' })).status).toBe(401)
    expect((await talk(stage.server, renewed, { content: 'Hello' })).status).toBe(200)

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit details' }).click()
    await page.getByLabel('Description').fill('For the reports')
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('For the reports').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Type “Nightly job” to confirm').fill('Nightly job')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Shop window/ }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /Nightly job/ }).count(), SOON).toBe(0)
    await expectAccessible(page)
    await page.goto(`/deployments/${crypto.randomUUID()}?org_id=${owner.organizationId}`)
    await page.getByRole('alert').waitFor()
    expect(stage.problems).toEqual([])
  })

  test('the search of the list stays when the dialog closes', async () => {
    const page = await open(`/deployments?q=shop&agent_id=${agentId}`)
    await page.getByRole('dialog', { name: 'Create deployment' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(({ searchParams }) => !searchParams.has('agent_id'))
    expect(new URL(page.url()).searchParams.get('q')).toBe('shop')
    expect(await page.getByRole('searchbox', { name: 'Search deployments' }).inputValue()).toBe('shop')
  })
})

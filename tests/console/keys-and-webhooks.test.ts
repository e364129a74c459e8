import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, expectAccessible } from '#tests/support/console-stage.ts'
import { type Receiver, startReceiver } from '#tests/support/receiver.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'

/** API keys, and webhooks with their deliveries. */

describeInBrowser('API keys and webhooks in the console', () => {
  let stage: ConsoleStage
  let team: Team
  let open: TeamStage['open']
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
    ;({ stage, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(async () => {
    await stage?.stop()
    await receiver?.close()
  })

  test('a key is created with chosen permissions, shown once, works, and is deleted', async () => {
    const page = await open('/api_keys')
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
    await page.getByRole('button', { name: 'Create API key' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create API key' })
    await dialog.getByLabel('Name').fill('Nightly report')
    await dialog.getByLabel('Permissions').selectOption('Selected permissions')
    const create = dialog.getByRole('button', { name: 'Create key' })
    expect(await create.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Organization: read' }).check()
    await expectAccessible(page)
    await create.click()
    const shown = page.getByRole('dialog', { name: 'API key Nightly report' })
    const key = (await shown.getByText(/^sk_/).first().textContent()) ?? ''
    await expectAccessible(page)
    const answer = await stage.server.call('GET', team.at('/api/org/features'), {
      headers: { 'x-api-key': key },
    })
    expect(answer.status).toBe(200)
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Nightly report.*Read: Organization\./ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete Nightly report' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor()
  })

  test('a webhook is added, tested, redelivered, disabled, enabled, given a new secret, deleted', async () => {
    const page = await open('/webhooks')
    await page.getByRole('button', { name: 'Add webhook' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add webhook' })
    await dialog.getByLabel('URL').fill('http://10.0.0.1/hooks')
    await dialog.getByLabel('conversation.updated').check()
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('URL').fill(`${receiver.url}/hooks`)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Done' }).click()
    await expectAccessible(page)
    await page.getByRole('link', { name: `${receiver.url}/hooks` }).click()
    await page.getByRole('heading', { name: 'No deliveries' }).waitFor()

    await page.getByRole('button', { name: 'Send test event' }).click()
    await page
      .getByText(/Test event delivered: HTTP 200/)
      .first()
      .waitFor()
    receiver.answers.set('/hooks', (response) => response.writeHead(500).end())
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page
      .getByText(/Test event failed/)
      .first()
      .waitFor()
    await page.getByLabel('Status').selectOption('Failed')
    await page.waitForURL(/status=failed/)
    await page.locator('summary').filter({ hasText: 'webhook.test' }).click()
    await page.getByRole('list', { name: 'Attempts' }).getByText(/500/).waitFor()
    await expectAccessible(page)
    receiver.answers.delete('/hooks')
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await expect.poll(() => receiver.at('/hooks').length).toBe(3)

    const menu = async (choice: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: choice }).click()
    }
    const yes = (name: string) => page.getByRole('alertdialog').getByRole('button', { name }).click()
    await menu('Disable')
    await yes('Disable')
    await page.getByText('A member disabled this webhook.').waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Send test event' }).waitFor()
    await menu('Rotate secret')
    await yes('Rotate secret')
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await menu('Edit')
    await page.getByLabel('Description').fill('Tells the desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tells the desk').waitFor()
    await menu('Delete')
    await yes('Delete')
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  })

  test('members without the permission see an explanation', async () => {
    const { person } = await team.join('member', 'Emmy', 'Noether')
    for (const path of ['/api_keys', '/webhooks', '/audit']) {
      const page = await open(path, person)
      await page.getByRole('heading', { name: 'You don’t have access to this page' }).waitFor()
    }
    expect(stage.problems).toEqual([])
  })
})

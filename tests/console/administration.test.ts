import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, PHONE } from '#tests/support/console-stage.ts'
import type { Team } from '#tests/support/team.ts'
import { startTeamStage, type TeamStage } from '#tests/support/team-stage.ts'
import { smallTargets } from '#tests/support/touch-targets.ts'

/** The installation: its organizations, people and services, for system administrators. */

describeInBrowser('the installation in the console', () => {
  let stage: ConsoleStage
  let owner: Person
  let team: Team
  let open: TeamStage['open']

  beforeAll(async () => {
    ;({ stage, owner, team, open } = await startTeamStage())
  }, 240_000)
  afterAll(() => stage?.stop())

  test('an organization is found by its name, gets credits and limits, and needs no pasted id', async () => {
    const page = await stage.open('/admin', await team.administrator())
    await page.getByRole('searchbox', { name: 'Search' }).fill('analytical')
    const row = page.getByRole('row', { name: /Analytical Engines/ })
    await row.getByText(owner.email).waitFor()
    await row.getByText('Any number of messages').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expectAccessible(page)
    await expectLargeTargets(page)
    await row.getByRole('button', { name: 'Analytical Engines' }).click()
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'Analytical Engines' })
    await dialog.getByLabel('Credits', { exact: true }).fill('5000')
    await dialog.getByLabel('Reason', { exact: true }).fill('Order 1042')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Grant credits' }).click()
    await page
      .getByText(/Credits granted: 5,000/)
      .first()
      .waitFor()
    expect(await dialog.getByLabel('Files per chat').inputValue()).toBe('20')
    await dialog.getByLabel('Messages per day').selectOption('Limited')
    await dialog.getByLabel('Limit', { exact: true }).fill('40')
    await dialog.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Limits saved').first().waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await row.getByText('40 messages per day').waitFor()
    expect((await team.api('GET', '/api/org/features')).daily_chat_limit).toBe(40)
  })

  test('a suspended organization is marked; its members see the reason, and work again when it is lifted', async () => {
    const page = await stage.open('/admin?q=analytical', await team.administrator())
    const row = page.getByRole('row', { name: /Analytical Engines/ })
    await row.getByRole('button', { name: 'Analytical Engines' }).click()
    const dialog = page.getByRole('dialog', { name: 'Analytical Engines' })
    await dialog.getByLabel('Reason for the suspension').fill('Invoice 2041 is unpaid.')
    await dialog.getByRole('button', { name: 'Suspend organization' }).click()
    await dialog.getByText(/^Suspended since .* Invoice 2041 is unpaid\.$/).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await row.getByText('Suspended').waitFor()

    const theirs = await open('/settings')
    const notice = theirs.getByRole('status').filter({ hasText: 'This organization is suspended.' })
    await notice.getByText('Invoice 2041 is unpaid.').waitFor()
    await theirs.getByLabel('Name').fill('Renamed')
    await theirs.getByRole('button', { name: 'Rename' }).click()
    await theirs.getByRole('alert').getByText('Invoice 2041 is unpaid.').waitFor()
    await expectAccessible(theirs)
    await Promise.all([
      theirs.waitForEvent('download'),
      theirs.getByRole('button', { name: 'Download export' }).click(),
    ])

    await row.getByRole('button', { name: 'Analytical Engines' }).click()
    await dialog.getByRole('button', { name: 'Lift suspension' }).click()
    await dialog.getByLabel('Reason for the suspension').waitFor()
    await theirs.reload()
    await theirs.getByLabel('Name').waitFor()
    expect(await notice.count()).toBe(0)
    await theirs.goto(theirs.url().replace('/settings', '/audit'))
    await theirs.getByText('A system administrator suspended the organization').waitFor()
  })

  test('people are found with their organizations; a suspended member is marked', async () => {
    const { person, name } = await team.join('member', 'Emmy', 'Noether')
    await team.api('PUT', `/api/users/update_status?user_id=${person.userId}`, { status: 'suspended' })
    const page = await stage.open('/admin?tab=people', await team.administrator())
    await page.getByRole('searchbox', { name: 'Search' }).fill('noether')
    const row = page.getByRole('row', { name: new RegExp(name) })
    await row.getByText('Suspended').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expectAccessible(page)
    await expectLargeTargets(page)
    await row.getByRole('button', { name: 'Analytical Engines' }).click()
    await page.getByRole('dialog', { name: 'Analytical Engines' }).waitFor()
  })

  test('the status says that email reaches nobody; others cannot open the page', async () => {
    const page = await stage.open('/admin', await team.administrator())
    await page
      .getByRole('navigation', { name: 'Views of the installation' })
      .getByRole('button', { name: 'Status' })
      .click()
    await page.getByText('No SMTP server is set up, so Parley sends no email').waitFor()
    await page.getByText('Files are stored in the folder').waitFor()
    await page.getByText('the demo answers').waitFor()
    await page.getByRole('row', { name: /^Email 0|^Email \d/ }).waitFor()
    await expectAccessible(page)
    const theirs = await open('/admin')
    await theirs.getByRole('heading', { name: 'You don’t have access to this page' }).waitFor()
    expect(stage.problems).toEqual([])
  })
})

/** Expects controls for fingers on a phone. Only administrators see these screens, so screens.test.ts doesn't. */
async function expectLargeTargets(page: Page): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize(PHONE)
  expect(await smallTargets(page)).toEqual([])
  if (before) await page.setViewportSize(before)
}

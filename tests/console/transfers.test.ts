import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { balanceOf } from '#tests/support/chats.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'

/** A new organization has no credits: the user can transfer some when creating it, and later. */

describeInBrowser('credits of a new organization', () => {
  let stage: ConsoleStage
  beforeAll(async () => {
    stage = await sharedConsoleStage()
  }, 120_000)
  afterAll(() => stage?.stop())

  test('come from the personal one, when it is created and by a later transfer', async () => {
    const person = await stage.server.signUp()
    const page = await stage.open('/organizations/new', person)
    await page.getByLabel('Name').fill('Engines')
    await page.getByRole('spinbutton', { name: 'Credits' }).fill('0.5')
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Create/ }).click()
    await page.getByRole('button', { name: 'Organization: Engines' }).waitFor()
    const { body } = await stage.server.call('GET', '/api/org/list', { token: person.token })
    const { id } = body.data.find(({ name }: { name: string }) => name === 'Engines')
    const team = { ...person, organizationId: id }
    expect((await balanceOf(stage.server, team)).balance).toBe(0.5)

    await page.goto(`/usage?org_id=${id}`)
    await page.getByText('No credits left.').waitFor()
    await page.getByRole('button', { name: 'Transfer credits' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer credits' })
    await dialog.getByLabel('From').selectOption(person.organizationId)
    await dialog.getByRole('spinbutton', { name: 'Credits' }).fill('2000000')
    await dialog.getByRole('button', { name: 'Transfer credits' }).click()
    await dialog.getByRole('alert').getByText('only 999999.5 credits available').waitFor()
    await dialog.getByRole('spinbutton', { name: 'Credits' }).fill('250000')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Transfer credits' }).click()
    await page.getByText('No credits left.').waitFor({ state: 'hidden' })
    expect((await balanceOf(stage.server, team)).balance).toBe(250_000.5)
  })
})

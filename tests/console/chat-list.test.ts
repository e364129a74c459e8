import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import type { Person } from '../support/client.ts'
import { type ConsoleStage, expectAccessible, startConsoleStage } from '../support/console-stage.ts'

describeInBrowser('the list of chats in the console', () => {
  let stage: ConsoleStage
  let person: Person
  let page: Page

  beforeAll(async () => {
    stage = await startConsoleStage()
    person = await stage.server.signUp()
    const models = await stage.server.call('GET', `/api/llm/list?org_id=${person.organizationId}`, {
      token: person.token,
    })
    const model_id = models.body.data.find(({ name }: { name: string }) => /no language model/.test(name)).id
    for (const content of ['Plans for the holiday in Rome', 'A cake for the birthday', 'What bees eat'])
      await stage.server.say(person, { model_id }, { content })
    page = await stage.open('/chats', person, { acceptDownloads: true })
  }, 180_000)

  afterAll(() => stage?.stop())

  const list = () => page.getByRole('navigation', { name: 'Your chats' })
  const link = (name: RegExp) => list().getByRole('link', { name })
  const menuOf = async (name: RegExp, item: string) => {
    await list().getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  test('words lead to the message in which they were said', async () => {
    await link(/What bees eat/).waitFor()
    await page.getByRole('textbox', { name: 'Search in your chats' }).fill('Rome')
    await page.waitForURL(/q=Rome/)
    const hit = list().getByRole('link', { name: /You: Plans for the holiday in Rome/ })
    await expect
      .poll(
        async () => {
          // A message is found a few seconds after its end.
          if ((await hit.count()) === 0) await page.reload()
          return hit.isVisible()
        },
        { timeout: 15_000, interval: 1_000 },
      )
      .toBe(true)
    expect(await hit.locator('mark').first().textContent()).toBe('Rome')
    await expectAccessible(page)
    await hit.click()
    await page.getByRole('article', { name: 'You' }).getByText('Plans for the holiday in Rome').waitFor()
    await page.getByRole('button', { name: 'End the search' }).click()
  })

  test('a chat is renamed, pinned, moved into a folder and saved', async () => {
    await menuOf(/What to do with A cake/, 'Rename')
    const dialog = page.getByRole('dialog', { name: 'Rename the chat' })
    await dialog.getByLabel('Title').fill('Cake')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await link(/^Cake/).waitFor()
    await menuOf(/What to do with Cake/, 'Pin')
    await list().getByRole('heading', { name: 'Pinned' }).waitFor()
    await menuOf(/What to do with Cake/, 'Move to a folder')
    const move = page.getByRole('dialog', { name: 'Move to a folder' })
    await move.getByLabel('New folder').fill('Parties')
    await expectAccessible(page)
    await move.getByRole('button', { name: 'Move' }).click()
    await page.getByLabel('Which chats').selectOption('Parties')
    await page.waitForURL(/folder=Parties/)
    await expect.poll(() => list().getByRole('link').count()).toBe(1)
    await page.reload()
    await link(/^Cake/).click()
    await page.getByRole('button', { name: 'What to do with this chat' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Save as Markdown' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('Cake.md')
    expect(await readFile(await saved.path(), 'utf8')).toContain('A cake for the birthday')
    await page.getByLabel('Which chats').selectOption('All chats')
  })

  test('an archived chat is in the archive, and comes back', async () => {
    await menuOf(/What to do with Plans/, 'Archive')
    await link(/Plans/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await link(/Plans/).waitFor()
    await menuOf(/What to do with Plans/, 'Archive')
    await link(/Plans/).waitFor({ state: 'detached' })
    await page.getByLabel('Which chats').selectOption('Archive')
    await link(/Plans/).waitFor()
    await page.getByLabel('Which chats').selectOption('All chats')
  })

  test('several chats are deleted together, after a question', async () => {
    await page.getByRole('button', { name: 'Select chats' }).click()
    await list().getByRole('checkbox', { name: 'Cake' }).check()
    await list().getByRole('checkbox', { name: /bees/ }).check()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete 2 chats?' })
    await question.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 chats deleted').first().waitFor()
    await page.getByRole('heading', { name: 'What can I do for you, Ada?' }).waitFor()
  })

  test('an instruction is saved, used for a prompt of the address, and deleted', async () => {
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('button', { name: 'Manage instructions' }).click()
    const dialog = page.getByRole('dialog', { name: /nstruction/ })
    await dialog.getByRole('button', { name: 'New instruction' }).click()
    await dialog.getByLabel('Name').fill('Brief')
    await dialog.getByLabel('What the model is told').fill('Answer in one sentence.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Edit Brief' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Instruction: / }).click()
    await page.getByRole('option', { name: 'Brief' }).click()
    await page.goto('/chats?prompt=Say%20hello')
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}/)
    expect(page.url()).not.toContain('prompt')
    await page
      .getByRole('article', { name: 'Reply' })
      .getByText('It was told: Answer in one sentence.')
      .waitFor()
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1)
    expect(stage.problems).toEqual([])
  })
})

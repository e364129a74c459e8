import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../support/browser.ts'
import type { Person } from '../support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '../support/console-stage.ts'

describeInBrowser('the list of chats in the console', () => {
  let stage: ConsoleStage
  let person: Person
  let page: Page

  beforeAll(async () => {
    stage = await sharedConsoleStage()
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

  test('a search result opens its message', async () => {
    await link(/What bees eat/).waitFor()
    await list().getByRole('heading', { name: 'Today' }).waitFor()
    await page.getByRole('textbox', { name: 'Search chats' }).fill('Rome')
    await page.waitForURL(/q=Rome/)
    const hit = list().getByRole('link', { name: /You: Plans for the holiday in Rome/ })
    await expect
      .poll(
        async () => {
          // The search index is a few seconds behind.
          if ((await hit.count()) === 0) await page.reload()
          return hit.isVisible()
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(true)
    expect(await hit.locator('mark').first().textContent()).toBe('Rome')
    await expectAccessible(page)
    await hit.click()
    await page.getByRole('article', { name: 'You' }).getByText('Plans for the holiday in Rome').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
  })

  test('a chat is renamed, pinned, moved to a folder and exported', async () => {
    await menuOf(/Actions for A cake/, 'Rename')
    const dialog = page.getByRole('dialog', { name: 'Rename chat' })
    await dialog.getByLabel('Title').fill('Cake')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await link(/^Cake/).waitFor()
    await menuOf(/Actions for Cake/, 'Pin')
    await list().getByRole('heading', { name: 'Pinned' }).waitFor()
    await menuOf(/Actions for Cake/, 'Move to folder')
    const move = page.getByRole('dialog', { name: 'Move to folder' })
    await move.getByLabel('New folder').fill('Parties')
    await expectAccessible(page)
    await move.getByRole('button', { name: 'Move' }).click()
    await page.getByLabel('Filter chats').selectOption('Parties')
    await page.waitForURL(/folder=Parties/)
    await expect.poll(() => list().getByRole('link').count()).toBe(1)
    await page.reload()
    await link(/^Cake/).click()
    await page.getByRole('button', { name: 'Chat actions' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as Markdown' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('Cake.md')
    expect(await readFile(await saved.path(), 'utf8')).toContain('A cake for the birthday')
    await page.getByLabel('Filter chats').selectOption('All chats')
  })

  test('a chat is archived, and Undo brings it back', async () => {
    await menuOf(/Actions for Plans/, 'Archive')
    await link(/Plans/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await link(/Plans/).waitFor()
    await menuOf(/Actions for Plans/, 'Archive')
    await link(/Plans/).waitFor({ state: 'detached' })
    await page.getByLabel('Filter chats').selectOption('Archive')
    await link(/Plans/).waitFor()
    await page.getByLabel('Filter chats').selectOption('All chats')
  })

  test('deleted chats come back with Undo, and are deleted when the notice closes or the page ends', async () => {
    const chatsOf = async () =>
      (
        await stage.server.call('GET', `/api/chat/list?org_id=${person.organizationId}&status=ACTIVE`, {
          token: person.token,
        })
      ).body.data.map(({ title }: { title: string }) => title)
    const inNotice = (text: string, name: string) =>
      page.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name })
    await page.getByRole('button', { name: 'Select chats' }).click()
    await list().getByRole('checkbox', { name: 'Cake' }).check()
    await list().getByRole('checkbox', { name: /bees/ }).check()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('2 chats deleted').first().waitFor()
    await page.getByRole('heading', { name: 'How can I help, Ada?' }).waitFor()
    expect(await link(/bees/).count()).toBe(0)
    expect(await chatsOf()).toHaveLength(2)
    await inNotice('2 chats deleted', 'Undo').click()
    await link(/bees/).waitFor()

    await menuOf(/Actions for Cake/, 'Delete')
    await page.getByText('Chat deleted').first().waitFor()
    await inNotice('Chat deleted', 'Close').click()
    await expect.poll(chatsOf).toHaveLength(1)
    await menuOf(/Actions for .*bees/, 'Delete')
    await link(/bees/).waitFor({ state: 'detached' })
    await page.goto('/account')
    await expect.poll(chatsOf).toEqual([])
    await page.goto('/chats')
  })

  test('an instruction is saved and used for a prompt from the URL', async () => {
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('button', { name: 'Manage instructions' }).click()
    const dialog = page.getByRole('dialog', { name: /nstruction/ })
    await dialog.getByRole('button', { name: 'Create instruction' }).click()
    await dialog.getByLabel('Name').fill('Brief')
    await dialog.getByLabel('Instruction text').fill('Answer in one sentence.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Edit Brief' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Instruction: / }).click()
    await page.getByRole('option', { name: 'Brief' }).click()
    const sent = page.waitForRequest(/send_message\?.*instruction_id=/)
    await page.goto('/chats?prompt=Say%20hello')
    await sent
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}/)
    expect(page.url()).not.toContain('prompt')
    await page.getByRole('article', { name: 'Reply' }).getByText('You said: Say hello').waitFor()
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(1)
  })

  test('signing out sends the deletions of all tabs that could still be undone', async () => {
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('button', { name: 'Manage instructions' }).click()
    const other = await page.context().newPage()
    // Waited for from here on, because the time to undo may end before the click on a slow machine.
    const sent = Promise.all([
      page.waitForResponse(/instructions\/delete/),
      other.waitForResponse(/bulk_delete_sessions/),
    ])
    await page.getByRole('button', { name: 'Delete Brief' }).click()
    await page.getByRole('button', { name: 'Edit Brief' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await other.goto('/chats')
    await other.getByRole('button', { name: /Actions for Say hello/ }).click()
    await other.getByRole('menuitem', { name: 'Delete' }).click()
    await other.getByText('Chat deleted').first().waitFor()
    await page.getByRole('button', { name: /^Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const [instruction, chat] = await sent
    expect([instruction.status(), chat.status()]).toEqual([200, 200])
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(await tab.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    }
    expect(stage.problems).toEqual([])
  })
})

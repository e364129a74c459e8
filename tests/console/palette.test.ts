import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { create as deploy } from '#tests/support/deployments.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** The command palette: pages, actions, chats and records, each once. */

describeInBrowser('the command palette', () => {
  let stage: ConsoleStage
  let ada: Person
  let agentId: string

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    ada = await stage.server.signUp()
    const keeper = await agentKeeper(stage.server, ada)
    agentId = await keeper.make({ name: 'Walrus keeper' })
    await deploy(stage.server, ada, agentId, { deployment_type: 'widget', name: 'Walrus widget' })
    await librarian(stage.server, ada).create({ name: 'Walrus handbook', sources: [] })
    await toolsmith(stage.server, ada).make({ fields: { name: 'Walrus counter' } })
    const target = { model_id: keeper.modelId }
    const first = await stage.server.say(ada, target, { content: 'Tell me about the walrus' })
    await stage.server.say(ada, { ...target, chat_id: first.chatId }, { content: 'And the walrus calf?' })
  }, 120_000)
  afterAll(() => stage?.stop())

  const open = async (path = '/') => {
    const page = await stage.open(path, ada)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    await palette.getByRole('combobox').waitFor()
    return { page, palette }
  }

  test('finds chats and records, each once, and never says that there are none', async () => {
    const { page, palette } = await open()
    await page.keyboard.type('walrus')
    for (const name of ['Walrus keeper', 'Walrus handbook', 'Walrus counter', 'Walrus widget'])
      await palette.getByRole('option', { name, exact: true }).waitFor()
    const chats = palette.getByRole('group', { name: 'Chats' }).getByRole('option')
    await expect.poll(() => chats.count()).toBe(1)
    expect(await palette.getByText('No matches').count()).toBe(0)
    const all = await palette.getByRole('option').allInnerTexts()
    expect(new Set(all).size).toBe(all.length)
    await expectAccessible(page)
    await palette.getByRole('option', { name: 'Walrus keeper' }).click()
    await page.waitForURL(`**/agents/${agentId}?**`)
  })

  test('asks the server for the name once the user stops typing', async () => {
    const { page, palette } = await open()
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/agents/list' && searchParams.has('q')) asked.push(searchParams.get('q') ?? '')
    })
    const typed = 'keeper walr'
    await page.keyboard.type(typed, { delay: 20 })
    await palette.getByRole('option', { name: 'Walrus keeper', exact: true }).waitFor()
    await expect.poll(() => asked.at(-1)).toBe(typed)
    // A slow machine may pause while it types.
    expect(asked.length).toBeLessThan(typed.length / 2)
  })

  test('says that there are no matches only if there are none', async () => {
    const { page, palette } = await open()
    await page.keyboard.type('zzzz nothing has this name')
    await palette.getByText('No matches').waitFor()
    expect(await palette.getByRole('option').count()).toBe(0)
  })

  test('opens pages and people by name, without accents', async () => {
    const { page, palette } = await open('/agents')
    await page.keyboard.type('hómé')
    await palette.getByRole('option', { name: /^Home/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === '/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('ada')
    await palette.getByRole('group', { name: 'People' }).getByRole('option').first().click()
    await page.waitForURL((url) => url.pathname === '/members')
  })

  test('runs actions: a dark theme, a new agent, an invitation, the shortcuts', async () => {
    const { page, palette } = await open()
    const run = async (text: string) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(text)
      await palette.getByRole('option').first().click()
      await palette.waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await run('dark')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await run('new agent')
    await page.getByRole('dialog', { name: 'Create agent' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await run('invite people')
    await page.getByRole('dialog', { name: /^Invite/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await run('keyboard')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})

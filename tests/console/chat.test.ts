import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKeeper } from '../support/agents.ts'
import { describeInBrowser } from '../support/browser.ts'
import type { Person } from '../support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '../support/console-stage.ts'
import { librarian, textSource } from '../support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '../support/provider/index.ts'

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A response without models or agents. */
const NO_MODEL = { detail: 'Language model not found', code: 'llm.not_found' }
const NO_RECORDS = { data: [], pagination: { next_cursor: null, has_more: false } }

describeInBrowser('chats in the console', () => {
  let stage: ConsoleStage
  let provider: EmulatedProvider
  let person: Person
  let page: Page

  beforeAll(async () => {
    const [started, emulated] = await Promise.all([sharedConsoleStage(), startProvider()])
    stage = started
    provider = emulated
    person = await stage.server.signUp()
    for (const model of ['emu-n3000-gap20', 'emu-n4-errmid'])
      await stage.server.addModel(person, {
        name: model,
        provider: 'openai-compatible',
        version: model,
        config: { model, base_url: `${provider.url}/v1`, api_key: 'key' },
      })
    const library = librarian(stage.server, person)
    const kb = await library.create({
      name: 'Handbook',
      sources: [textSource('Holidays', 'Everybody has 30 days of holiday a year.')],
    })
    await library.settle(kb)
    page = await stage.open('/chats', person)
  }, 180_000)

  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
  })

  const field = () => page.getByRole('textbox', { name: 'Message', exact: true })
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const replies = () => page.getByRole('article', { name: 'Reply' })
  const choose = async (label: string, option: RegExp) => {
    await button(new RegExp(`^${label}`)).click()
    await page.getByRole('option', { name: option }).click()
    await page.keyboard.press('Escape')
  }
  const say = async (text: string) => {
    await field().fill(text)
    await field().press('Enter')
  }
  const ended = () => page.getByRole('button', { name: 'Send message', exact: true }).waitFor()

  test('a first message creates a chat, and citations open their passages', async () => {
    await page.getByRole('heading', { name: 'How can I help, Ada?' }).waitFor()
    const focused = "document.activeElement?.getAttribute('aria-label')"
    await expect.poll(() => page.evaluate(focused)).toBe('Message')
    await expectAccessible(page)
    await choose('Model or agent', /Parley demo \(no language model\)/)
    await choose('Knowledge', /Handbook/)
    await say('How many days of holiday are there?')
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}/)
    await button('Regenerate').first().waitFor()
    await button('Source 1: Holidays').first().click()
    const passage = page.getByRole('dialog', { name: 'Source 1' })
    await passage.getByText('Everybody has 30 days of holiday a year.').waitFor()
    expect(await passage.getByRole('link', { name: 'Open document' }).getAttribute('href')).toMatch(
      /^\/knowledge\/[0-9a-f-]+\/documents\/[0-9a-f-]+\?.*chunk=/,
    )
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    // The server generates the title.
    const list = page.getByRole('navigation', { name: 'Your chats' })
    await list.getByRole('link', { name: /How many days/ }).waitFor()
    await expectAccessible(page)
  })

  test('editing a message creates a branch, arrows switch branches, and a reload keeps the branch', async () => {
    await button('Edit message').click()
    const edited = page.getByRole('form', { name: 'Edit message' })
    // The caret is at the end, and Enter sends.
    await edited.getByText('Enter sends, Shift+Enter starts a new line.').waitFor()
    await page.keyboard.type(' In March?')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('Or in May?')
    expect(await edited.getByRole('textbox').inputValue()).toBe(
      'How many days of holiday are there? In March?\nOr in May?',
    )
    await page.keyboard.press('Enter')
    await page.getByText('2 of 2').waitFor()
    await ended()
    await button('Previous version').click()
    await page.getByText('1 of 2').waitFor()
    await page.getByText('How many days of holiday are there?').first().waitFor()
    await page.reload()
    await page.getByText('1 of 2').waitFor()
    await page.getByRole('button', { name: 'Regenerate reply', exact: true }).click()
    await replies().last().getByText('2 of 2').waitFor()
    await ended()
  })

  test('a reply continues after a reload and in another tab, which can stop it', async () => {
    await choose('Model or agent', /emu-n3000/)
    await say('A long story, please')
    await button('Stop reply').waitFor()
    await replies().last().getByText('the quick brown fox').waitFor()
    await page.reload()
    await replies().last().getByText('the quick brown fox').waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Stop reply' }).click()
    await other.getByText('Stopped').waitFor()
    await page.getByText('Stopped').waitFor()
    await other.close()
  })

  test('code in a reply is highlighted', async () => {
    await say('say: ```js\nconst lamp = 1\n```')
    await page.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
    const colourOf = (place: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${place}')).color`)
    expect(await colourOf('.hljs-keyword')).not.toBe(await colourOf('pre'))
    await ended()
  })

  test('a failed reply shows its error, and another model can reply', async () => {
    await choose('Model or agent', /errmid/)
    await say('This fails')
    await replies().last().getByRole('button', { name: 'Retry' }).waitFor()
    await ended()
    await expectAccessible(page)
    await replies().last().getByRole('button', { name: 'Regenerate with…' }).click()
    await page.getByRole('option', { name: /Parley demo \(no language model\)/ }).click()
    await replies().last().getByText('You said:').waitFor()
    await ended()
    expect(await replies().last().getByRole('alert').count()).toBe(0)
  })

  test('a message has attachments, and an unsupported file shows an error', async () => {
    await choose('Model or agent', /Parley demo \(no language model\)/)
    await page.locator('input[type=file]').setInputFiles([
      { name: 'plan.md', mimeType: 'text/markdown', buffer: Buffer.from('# Plan\n\nSleep.') },
      { name: 'dot.png', mimeType: 'image/png', buffer: DOT },
      { name: 'program.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ\0\0\0') },
    ])
    await page.getByText(/program\.exe: Files of this type are not supported/).waitFor()
    await expectAccessible(page)
    await button('Remove program.exe').click()
    await field().fill('What is the plan?')
    await page.getByRole('button', { name: 'Send message', exact: true }).click()
    const files = page.getByRole('list', { name: 'Files', exact: true })
    await files.getByRole('link', { name: /plan\.md/ }).waitFor()
    await files.getByRole('img', { name: 'dot.png' }).waitFor()
    await ended()
  })

  test('a draft survives a reload, and a refused message returns to the composer', async () => {
    await field().fill('Half a thought')
    await page.reload()
    await expect.poll(() => field().inputValue()).toBe('Half a thought')
    const detail = 'Insufficient credits to use this model.'
    await page.route('**/api/chat/send_message*', (route) =>
      route.fulfill({ status: 402, json: { detail, code: 'billing.insufficient_credits' } }),
    )
    await page.getByRole('button', { name: 'Send message', exact: true }).click()
    await page.getByText(detail).waitFor()
    await page.getByRole('link', { name: 'View usage' }).waitFor()
    expect(await field().inputValue()).toBe('Half a thought')
    await expectAccessible(page)
    await page.unroute('**/api/chat/send_message*')
    await field().fill('')
  })

  test('a starter begins a message that the user completes, and agents have their own', async () => {
    await (await agentKeeper(stage.server, person)).make({ name: 'Librarian' })
    page = await stage.open('/chats', person)
    const starters = page.getByRole('list', { name: 'Ideas for a first message' })
    await choose('Model or agent', /Parley demo \(no language model\)/)
    await starters.getByRole('button', { name: 'Draft an email' }).click()
    await expect.poll(() => field().inputValue()).toBe('Write a friendly email to ')
    await page.keyboard.type('Ada')
    expect(await field().inputValue()).toBe('Write a friendly email to Ada')
    await expect.poll(() => starters.count()).toBe(0)
    await expectAccessible(page)
    await field().fill('')
    await starters.getByRole('button', { name: 'Plan a project' }).waitFor()
    await choose('Model or agent', /Librarian/)
    await starters.getByRole('button', { name: 'What can you help me with?' }).waitFor()
    expect(await starters.getByRole('button').count()).toBe(1)
    await expectAccessible(page)
    expect(stage.problems).toEqual([])
  })

  test('without a model there are no starters', async () => {
    const other = await stage.open('about:blank', person)
    await other.route('**/api/llm/list*', (route) => route.fulfill({ json: NO_RECORDS }))
    await other.route('**/api/llm/get*', (route) => route.fulfill({ status: 404, json: NO_MODEL }))
    await other.route('**/api/agents/list*', (route) => route.fulfill({ json: NO_RECORDS }))
    await other.goto('/chats')
    await other.getByText('No model is available yet').waitFor()
    expect(await other.getByRole('list', { name: 'Ideas for a first message' }).count()).toBe(0)
  })
})

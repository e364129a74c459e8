import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import {
  type ConsoleStage,
  expectAccessible,
  PHONE,
  sharedConsoleStage,
} from '#tests/support/console-stage.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'

/** How chats, passages and tables read, on a desktop and on a phone. */

const TABLE = `| Name | Description | Owner | Status | Region |
|---|---|---|---|---|
| **Lamp** | A red lamp that stands on the table in the hall | Ada | on sale | Europe |`
/** The smallest size of a button that a finger hits, in pixels. */
const FINGER_PIXELS = 40

describeInBrowser('reading in the console', () => {
  let stage: ConsoleStage
  let provider: EmulatedProvider
  let person: Person
  beforeAll(async () => {
    const [started, emulated] = await Promise.all([sharedConsoleStage(), startProvider()])
    stage = started
    provider = emulated
    person = await stage.server.signUp()
    for (const model of ['emu-n4-errmid', 'emu-n40'])
      await stage.server.addModel(person, {
        name: model,
        provider: 'openai-compatible',
        version: model,
        config: { model, base_url: `${provider.url}/v1`, api_key: 'key' },
      })
  }, 180_000)
  afterAll(async () => {
    await stage?.stop()
    await provider?.close()
  })

  const list = (page: Page) => page.getByRole('navigation', { name: 'Your chats' })
  const replies = (page: Page) => page.getByRole('article', { name: 'Reply' })
  const choose = async (page: Page, model: RegExp) => {
    await page.getByRole('button', { name: /^Model or agent/ }).click()
    await page.getByRole('option', { name: model }).click()
  }
  const say = async (page: Page, text: string) => {
    const field = page.getByRole('textbox', { name: 'Message', exact: true })
    await field.fill(text)
    await field.press('Enter')
  }

  test('the header and the list agree on the title, also after a failed first reply', async () => {
    const page = await stage.open('/chats', person)
    const title = page.getByRole('heading', { level: 1 })
    await choose(page, /errmid/)
    await say(page, 'Why is the lamp red?')
    await replies(page).getByRole('button', { name: 'Retry reply' }).waitFor()
    await list(page).getByRole('link', { name: 'New chat' }).waitFor()
    expect(await title.textContent()).toBe('New chat')
    await replies(page).getByRole('button', { name: 'Regenerate with…' }).click()
    await page.getByRole('option', { name: /Parley demo \(no language model\)/ }).click()
    await replies(page).getByText('You said:').waitFor()
    await expect.poll(() => title.textContent()).not.toBe('New chat')
    const link = list(page).getByRole('link', { name: (await title.textContent()) ?? '', exact: true })
    await link.waitFor()
  })

  test('a reply is regenerated although the failed one is not stored yet', async () => {
    const page = await stage.open('/chats', person)
    const stored = Promise.withResolvers<void>()
    await page.route(/\/api\/chat\?/, async (route) => {
      await stored.promise
      await route.continue()
    })
    await choose(page, /errmid/)
    await say(page, 'Why is the sky blue?')
    await replies(page).getByRole('button', { name: 'Regenerate with…' }).click()
    await page.getByRole('option', { name: /Parley demo \(no language model\)/ }).click()
    stored.resolve()
    await replies(page).getByText('You said:').waitFor()
    expect(await page.getByText('A reply is already in progress').count()).toBe(0)
  })

  test('passages and search results show rendered text', async () => {
    const library = librarian(stage.server, person)
    const kb = await library.create({
      name: 'Shop',
      sources: [
        textSource('Lamps', `## Lamps\n\nThe **red lamp** costs [9 euros](https://example.com).\n\n${TABLE}`),
      ],
    })
    await library.settle(kb)
    const page = await stage.open(
      `/knowledge/${kb}/search?q=red+lamp&org_id=${person.organizationId}`,
      person,
    )
    const passages = page.getByRole('list', { name: 'Passages' })
    await passages.locator('strong mark', { hasText: 'lamp' }).first().waitFor()
    await passages.getByRole('table').first().waitFor()
    expect(await passages.textContent()).not.toMatch(/\*\*|\]\(|\|---/)
    await expectAccessible(page)

    await page.goto('/chats')
    await choose(page, /Parley demo \(no language model\)/)
    await page.getByRole('button', { name: /^Knowledge/ }).click()
    await page.getByRole('option', { name: 'Shop' }).click()
    await page.keyboard.press('Escape')
    await say(page, 'What does the **red lamp** cost?')
    await page.getByRole('button', { name: 'Source 1: Lamps' }).first().click()
    const passage = page.getByRole('dialog', { name: 'Source 1' })
    await passage.locator('strong', { hasText: 'red lamp' }).waitFor()
    await passage.getByRole('table').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    await page.getByRole('textbox', { name: 'Search chats' }).fill('red lamp')
    await page.waitForURL(/q=red/)
    const hit = list(page).getByRole('link', { name: /You: What does the red lamp cost/ })
    const none = list(page).getByText('No matches')
    // The search index is a few seconds behind.
    for (let tries = 0; tries < 15; tries++) {
      await hit.or(none).first().waitFor()
      if (await hit.isVisible()) break
      await page.reload()
    }
    await hit.waitFor()
    expect(await list(page).textContent()).not.toContain('**')
  })

  test('on a phone, message actions fit fingers, and wide tables scroll within the message', async () => {
    const page = await stage.open(`/chats?org_id=${person.organizationId}`, person, { viewport: PHONE })
    await choose(page, /emu-n40/)
    await say(page, `say: ${TABLE}`)
    const table = replies(page).getByRole('table')
    await table.getByText('on sale').waitFor()
    await replies(page).getByRole('button', { name: 'Regenerate reply' }).waitFor()
    for (const button of await page.getByRole('article').getByRole('button').all()) {
      const { width = 0, height = 0 } = (await button.boundingBox()) ?? {}
      const name = await button.getAttribute('aria-label')
      expect({ name, isLarge: Math.min(width, height) >= FINGER_PIXELS }).toEqual({ name, isLarge: true })
    }
    const widthOf = async (text: string) => (await table.getByText(text).boundingBox())?.width
    expect(await widthOf('A red lamp that')).toBeGreaterThan(150)
    expect((await table.boundingBox())?.width).toBeGreaterThan(PHONE.width)
    expect((await replies(page).boundingBox())?.width).toBeLessThan(PHONE.width)
    await page.getByRole('button', { name: 'Show chats' }).click()
    await list(page).getByRole('link', { name: /Name/ }).waitFor()
    await expectAccessible(page)
  })

  test('on a phone, the rows of a table are cards', async () => {
    const library = librarian(stage.server, person)
    const kb = await library.create({ name: 'Texts', sources: [textSource('A text', 'Words.')] })
    await library.settle(kb)
    const address = `/knowledge/${kb}/documents?org_id=${person.organizationId}`
    const page = await stage.open(address, person, { viewport: PHONE })
    const cell = (text: RegExp) => page.getByRole('cell', { name: text }).first().boundingBox()
    await page.getByRole('link', { name: 'A text' }).waitFor()
    const [name, status] = [await cell(/A text/), await cell(/Ready/)]
    expect(status?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0))
    expect(status?.height, 'one line').toBeLessThan(40)
    await expectAccessible(page)
    expect(stage.problems).toEqual([])
  })
})

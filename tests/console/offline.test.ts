import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, expectAccessible, sharedConsoleStage } from '#tests/support/console-stage.ts'

/** Messages and drafts without a connection: nothing is lost, and nothing is sent twice. */

const SEND = '**/api/chat/send_message*'
const UNSENT = 'Not sent yet.'

describeInBrowser('the console without a connection', () => {
  let stage: ConsoleStage
  let person: Person
  beforeAll(async () => {
    stage = await sharedConsoleStage()
  }, 120_000)
  afterAll(() => stage?.stop())

  const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
  const say = async (page: Page, text: string) => {
    await field(page).fill(text)
    await field(page).press('Enter')
  }
  /** Opens a new chat of a new person. */
  const openChat = async (): Promise<Page> => {
    person = await stage.server.signUp()
    const page = await stage.open('/chats', person)
    await page.getByRole('button', { name: /^Model or agent: Parley demo/ }).waitFor()
    return page
  }
  /** Returns the texts of the messages that the server has stored, by chat. */
  const stored = async (): Promise<string[][]> => {
    const get = (path: string) => stage.server.call('GET', path, { token: person.token })
    const org = `org_id=${person.organizationId}`
    const { body } = await get(`/api/chat/list?${org}`)
    return Promise.all(
      body.data.map(async ({ id }: { id: string }) => {
        const chat = await get(`/api/chat?${org}&chat_id=${id}&branches=all`)
        return chat.body.messages
          .filter(({ role }: { role: string }) => role === 'user')
          .map(({ content }: { content: string }) => content)
      }),
    )
  }
  /** Answers messages with `respond`. Returns the idempotency keys of all messages that the page sends. */
  const interrupt = async (page: Page, respond: (route: Route) => Promise<void>): Promise<Set<string>> => {
    const keys = new Set<string>()
    page.on('request', (request) => {
      if (request.url().includes('/send_message')) keys.add(request.headers()['idempotency-key'] ?? '')
    })
    // A reload may end the request first.
    await page.route(SEND, (route) => respond(route).catch(() => {}))
    return keys
  }

  test('says so, keeps the page, and sends the message of a new chat when it is back', async () => {
    const page = await openChat()
    await page.evaluate('window.isSamePage = true')
    await page.context().setOffline(true)
    await page.getByText('You’re offline.').waitFor()
    await page.getByRole('link', { name: 'Knowledge' }).hover()
    await say(page, 'Written in a tunnel')
    await page.getByText(UNSENT).waitFor()
    await expectAccessible(page)
    await page.context().setOffline(false)
    await page.waitForURL(/\/chats\/[0-9a-f-]{36}/)
    await page.getByText('You said:').waitFor()
    expect(await page.getByText('You’re offline.').count()).toBe(0)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    expect(await stored()).toEqual([['Written in a tunnel']])
  })

  test('sends a message once, although its response was lost and the page was reloaded', async () => {
    const page = await openChat()
    const keys = await interrupt(page, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await say(page, 'Only once')
    await page.getByText(UNSENT).waitFor()
    await page.reload()
    await page.getByText(UNSENT).waitFor()
    await page.unroute(SEND)
    await page.getByText('You said:').waitFor()
    expect(keys.size).toBe(1)
    expect(await stored()).toEqual([['Only once']])
  })

  test('gives an unsent message back, and resends it under its key unless it was changed', async () => {
    const page = await openChat()
    const keys = await interrupt(page, (route) => route.abort())
    await say(page, 'First thought')
    await page.getByRole('button', { name: 'Edit message' }).click()
    await expect.poll(() => field(page).inputValue()).toBe('First thought')
    await field(page).press('Enter')
    await page.getByText(UNSENT).waitFor()
    expect(keys.size).toBe(1)
    await page.getByRole('button', { name: 'Edit message' }).click()
    await page.unroute(SEND)
    await say(page, 'Second thought')
    await page.getByText('You said:').waitFor()
    expect(await stored()).toEqual([['Second thought']])
  })

  test('keeps the draft of each chat after the tab was closed', async () => {
    const page = await openChat()
    await say(page, 'Hello')
    await page.getByText('You said:').waitFor()
    await field(page).fill('For this chat')
    const address = page.url()
    await page.goto('/chats')
    await field(page).fill('For a new chat')
    const later = await page.context().newPage()
    await page.close()
    await later.goto('/chats')
    await expect.poll(() => field(later).inputValue()).toBe('For a new chat')
    await later.goto(address)
    await expect.poll(() => field(later).inputValue()).toBe('For this chat')
  })

  test('offers a new build after the server was away, and never reloads by itself', async () => {
    const page = await openChat()
    await field(page).fill('A draft')
    await page.evaluate('window.isSamePage = true')
    await page.route('**/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByText('The server can’t be reached.').waitFor()
    await page.unrouteAll()
    await page.route('/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/assets/new.js"></script>',
      }),
    )
    await page.getByRole('button', { name: 'Retry' }).first().click()
    await page.getByText('A new version is available.').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    await page.getByRole('button', { name: 'Later' }).click()
    expect(await page.getByText('A new version is available.').count()).toBe(0)
    expect(stage.problems).toEqual([])
  })
})

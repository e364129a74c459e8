import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { type CutProxy, startCutProxy } from '#tests/support/cut-proxy.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'

/** Chats over an unreliable connection, and unusual input: dropped and pasted files, composed text, early clicks. */

/** An expression for the data of a dropped or pasted file. */
const transferOf = (name: string): string => `(() => {
  const transfer = new DataTransfer()
  transfer.items.add(new File(['# Plan'], ${JSON.stringify(name)}, { type: 'text/markdown' }))
  return transfer
})()`

describeInBrowser('a chat over an unreliable connection', () => {
  let stage: ConsoleStage
  let provider: EmulatedProvider
  let line: CutProxy
  let person: Person
  let page: Page

  beforeAll(async () => {
    ;[stage, provider, line] = await Promise.all([sharedConsoleStage(), startProvider(), startCutProxy()])
    line.leadTo(stage.server.url)
    person = await stage.server.signUp()
    const model = 'emu-n300-gap20'
    await stage.server.addModel(person, {
      name: 'Slow',
      provider: 'openai-compatible',
      version: model,
      config: { model, base_url: `${provider.url}/v1`, api_key: 'key' },
    })
    page = await stage.open('/chats', person, { baseURL: line.url })
    await page.getByRole('button', { name: /^Model or agent/ }).click()
    await page.getByRole('option', { name: 'Slow' }).click()
  })
  afterAll(async () => {
    await stage?.stop()
    await Promise.all([provider?.close(), line?.close()])
  })

  const field = () => page.getByRole('textbox', { name: 'Message', exact: true })
  const sendButton = () => page.getByRole('button', { name: 'Send message', exact: true })
  const lastReply = () => page.getByRole('article', { name: 'Reply' }).last()

  test('a reply continues after a reconnect without gaps or duplicates', async () => {
    await field().fill('Tell me')
    await field().press('Enter')
    await lastReply().getByText('the quick brown fox').waitFor()
    line.cut()
    await page.getByText('Connection lost. Reconnecting…').waitFor()
    const before = await lastReply().locator('p').first().innerText()
    line.mend()
    await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await lastReply().locator('p').first().innerText()).length)
      .toBeGreaterThan(before.length)
    const shown = await lastReply().locator('p').first().innerText()
    await sendButton().waitFor()
    const chatId = /chats\/([\w-]+)/.exec(page.url())?.[1] ?? ''
    const { messages } = await getChat(stage.server, person, chatId)
    const stored: string = messages.at(-1).content
    expect(stored.split(' ')).toHaveLength(300)
    expect(stored.startsWith(shown.trim())).toBe(true)
  })

  test('a second reply has to wait for the first one', async () => {
    await field().fill('Once more')
    await field().press('Enter')
    await page.getByRole('button', { name: 'Stop reply' }).waitFor()
    await page.getByRole('button', { name: 'Regenerate reply', exact: true }).first().click()
    await page.getByText('A reply is in progress.').first().waitFor()
    await page.getByRole('button', { name: 'Stop reply' }).click()
    await page.getByText('Stopped').waitFor()
  })

  test('files can be dropped and pasted', async () => {
    const form = page.getByRole('form', { name: 'Your message' })
    const dataTransfer = await page.evaluateHandle(transferOf('dropped.md'))
    await form.dispatchEvent('dragover', { dataTransfer })
    await page.getByText('Drop files to attach them').waitFor()
    await form.dispatchEvent('drop', { dataTransfer })
    await field().focus()
    await page.evaluate(`document.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: ${transferOf('pasted.md')}, bubbles: true, cancelable: true }))`)
    const files = page.getByRole('list', { name: 'Attachments' })
    await files.getByText('dropped.md').waitFor()
    await files.getByText('pasted.md').waitFor()
    await page.getByRole('button', { name: 'Remove dropped.md' }).click()
    await page.getByRole('button', { name: 'Remove pasted.md' }).click()
    await files.waitFor({ state: 'detached' })
  })

  test('Enter confirms composed text, and Shift+Enter starts a new line', async () => {
    await field().fill('こんにちは')
    await field().dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    await field().press('Shift+Enter')
    expect(await field().inputValue()).toBe('こんにちは\n')
  })

  test('a rate-limited message shows when to retry, and stays in the composer', async () => {
    await page.route('**/api/chat/send_message*', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '7' },
        json: {
          detail: 'Too many requests: the limit is 100 per minute for each IP address.',
          code: 'rate.limited',
        },
      }),
    )
    await field().fill('Again')
    await sendButton().click()
    await page.getByText('Try again in 7 seconds.').waitFor()
    expect(await field().inputValue()).toBe('Again')
    await page.unroute('**/api/chat/send_message*')
    expect(stage.problems).toEqual([])
  })
})

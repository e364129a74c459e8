import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { buttonOf } from '#tests/support/button.ts'
import { words } from '#tests/support/provider/behaviour.ts'
import {
  ask,
  inTheMiddle,
  newestReply,
  openChat,
  replied,
  said,
  startWidgetStage,
  type WidgetStage,
  write,
} from '#tests/support/widget-stage.ts'

const LONG = 400

describeInBrowser('a conversation', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test.each([
    ['de-AT', 'Nachricht schreiben', 'Mit Helper chatten'],
    ['fr-FR', 'Write a message', 'Chat with Helper'],
  ])('is in the language of a visitor with %s', async (locale, placeholder, button) => {
    const page = await stage.visit(await stage.deploy(), { locale })
    expect((await buttonOf(page))?.name).toBe(button)
    const chat = await openChat(page)
    expect(await chat.getAttribute('textarea', 'placeholder')).toBe(placeholder)
    expect(await chat.getAttribute('html', 'lang')).toBe(locale.startsWith('de') ? 'de' : 'en')
  })

  test('queues input from before it is ready, and sends it then', async () => {
    const page = await stage.visit(await stage.deploy())
    const begun = Promise.withResolvers<void>()
    await page.route('**/api/agent_deploy/create_visitor?*', async (route) => {
      await begun.promise
      await route.continue()
    })
    const chat = await openChat(page)
    await chat.fill('textarea', 'say: Early')
    await chat.press('textarea', 'Enter')
    await chat.waitForSelector('text=Connecting')
    expect(await said(chat)).toEqual([])
    begun.resolve()
    await chat.waitForSelector('.reply >> text=Early')
    await replied(chat)
    expect(await said(chat)).toEqual(['say: Early', 'Early'])
    expect(await chat.inputValue('textarea')).toBe('')
    expect(await ask(chat, 'say: Later')).toBe('Later')
    await page.context().close()
  })

  test('stops a reply and continues after it', async () => {
    const page = await stage.visit(await stage.deploy({}, `emu-n${LONG}-gap25`))
    const chat = await openChat(page)
    await write(chat, 'Hello')
    await inTheMiddle(chat, words(LONG).join(''))
    await chat.click('button[aria-label="Stop reply"]')
    await replied(chat)
    expect(await newestReply(chat)).toMatch(/^the quick brown[\s\S]*Stopped$/)
    expect(await ask(chat, 'say: And now')).toBe('And now')
    await page.context().close()
  })

  test.each([
    ['en-GB', 'Cut off at the token limit.', 'Continue'],
    ['de-DE', 'Am Token-Limit abgeschnitten.', 'Fortsetzen'],
  ])('continues a reply that was cut off, for a visitor with %s', async (locale, sentence, label) => {
    const page = await stage.visit(await stage.deploy({}, 'emu-n8-endslength'), { locale })
    const chat = await openChat(page)
    const text = words(8).join('')
    expect(await ask(chat, 'Hello')).toMatch(new RegExp(`^${text}\\s+${sentence} ${label}$`))
    await chat.click(`text="${label}"`)
    const cutOff = (end: string) => `${text}\n${sentence}${end}`
    await expect.poll(() => said(chat)).toEqual(['Hello', cutOff(''), label, cutOff(` ${label}`)])
    // The stored reply tells the same after a reload.
    await page.reload()
    await page.waitForFunction('window.parley')
    const again = await openChat(page)
    await expect.poll(() => said(again)).toEqual(['Hello', cutOff(''), label, cutOff(` ${label}`)])
    await page.context().close()
  })

  test('tells that a filter ended a reply', async () => {
    const page = await stage.visit(await stage.deploy({}, 'emu-n8-endsfilter'))
    const chat = await openChat(page)
    expect(await ask(chat, 'Hello')).toMatch(/Stopped by the provider’s filter\.$/)
    await page.context().close()
  })

  test('reports a failed reply and retries it', async () => {
    const page = await stage.visit(await stage.deploy({}, 'emu-n8-errmid'))
    const chat = await openChat(page)
    await write(chat, 'Hello')
    await chat.waitForSelector('text=The reply couldn’t be completed.')
    await chat.click('text=Retry')
    await expect.poll(() => chat.locator('.question').allInnerTexts()).toEqual(['Hello', 'Hello'])
    await chat.waitForSelector('text=The reply couldn’t be completed. >> nth=1')
    await page.context().close()
  })

  test('starts a new conversation on request', async () => {
    const page = await stage.visit(await stage.deploy({ welcome_message: 'How can *we* help?' }))
    const chat = await openChat(page)
    expect(await said(chat)).toEqual(['How can we help?'])
    await ask(chat, 'say: One')
    await chat.click('button[aria-label="New conversation"]')
    expect(await said(chat)).toEqual(['How can we help?'])
    expect(await ask(chat, 'say: Two')).toBe('Two')
    expect(await said(chat)).toEqual(['How can we help?', 'say: Two', 'Two'])
    await page.context().close()
  })

  test('closes for all visitors when the deployment is paused', async () => {
    const id = await stage.deploy()
    const page = await stage.visit(id)
    const chat = await openChat(page)
    await ask(chat, 'say: One')
    await stage.pause(id)
    await write(chat, 'say: Two')
    await chat.waitForSelector('.trouble >> text=This chat is closed right now.')
    expect(await chat.isDisabled('textarea')).toBe(true)
    expect((await fetch(`${stage.line.url}/embed/${id}`)).status).toBe(403)
    await page.context().close()
  })

  test('does not send while an input method is composing', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await chat.fill('textarea', 'にほん')
    await chat.dispatchEvent('textarea', 'keydown', { key: 'Enter', isComposing: true })
    await chat.dispatchEvent('textarea', 'keydown', { key: 'Enter', keyCode: 229 })
    expect(await said(chat)).toEqual([])
    expect(await chat.inputValue('textarea')).toBe('にほん')
    await page.context().close()
  })
})

import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seriousFindings } from '#tests/support/axe.ts'
import { describeInBrowser } from '#tests/support/browser.ts'
import {
  ask,
  openChat,
  replied,
  startWidgetStage,
  type WidgetStage,
  write,
} from '#tests/support/widget-stage.ts'

const EVERYTHING = [
  '# Heading',
  'A [link](https://example.com), `code`, **bold**.',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  `\`\`\`js\n${'wide '.repeat(40)}\n\`\`\``,
  '1. one\n   - two',
  '> quoted',
].join('\n\n')

/** Colors with little contrast as background or as text, which the theme must adjust. */
const APPEARANCES: [string, string, BrowserContextOptions][] = [
  ['light', '#facc15', { colorScheme: 'light' }],
  ['dark', '#1e1b4b', { colorScheme: 'dark' }],
  ['a phone', '#808080', { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }],
]

describeInBrowser('the chat, for everybody', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test.each(APPEARANCES)('axe finds nothing serious: %s, %s', async (_name, color, options) => {
    const config = { theme: { primary_color: color }, welcome_message: 'Ask [us](https://example.com)' }
    const page = await stage.visit(await stage.deploy(config, 'emu-r3-n8'), options)
    const chat = await openChat(page)
    await ask(chat, `say: ${EVERYTHING}`)
    await chat.click('summary')
    stage.line.cut()
    await write(chat, 'Hello')
    await chat.waitForSelector('text=Retry')
    stage.line.mend()
    expect(await seriousFindings(chat)).toEqual([])
    await page.context().close()
  })

  test('announces a complete reply once, not piece by piece', async () => {
    const page = await stage.visit(await stage.deploy({}, 'emu-n40-gap25'))
    const chat = await openChat(page)
    await chat.evaluate(`
      told = []
      new MutationObserver(() => told.push(document.querySelector('[role=status]').textContent))
        .observe(document.querySelector('[role=status]'), { childList: true, characterData: true, subtree: true })`)
    expect(await chat.getAttribute('[role=log]', 'aria-live')).toBe('off')
    await write(chat, 'Hello')
    await replied(chat)
    const reply = await chat.locator('.reply').last().innerText()
    await expect.poll(() => chat.evaluate('told.filter(Boolean)')).toEqual(['Reply in progress', reply])
    await page.context().close()
  })

  test('supports the keyboard everywhere, with a visible focus that is never lost', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await ask(chat, 'say: [a link](https://example.com)')
    const stops: string[] = []
    const focused = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'
    await chat.focus('header button')
    for (let stop = 0; stop < 5; stop += 1) {
      stops.push((await chat.evaluate(focused)) as string)
      expect(await chat.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none')
      await page.keyboard.press('Tab')
    }
    expect(stops).toEqual(['New conversation', 'Close chat', 'Conversation', 'a link', 'Message'])
    await chat.focus('button[aria-label="New conversation"]')
    await page.keyboard.press('Enter')
    await expect.poll(() => chat.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await page.context().close()
  })
})

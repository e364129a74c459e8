import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { words } from '#tests/support/provider/behaviour.ts'
import {
  ask,
  inTheMiddle,
  openChat,
  replied,
  said,
  startWidgetStage,
  type WidgetStage,
  write,
} from '#tests/support/widget-stage.ts'

const LONG = 90
const WHOLE = words(LONG).join('')

describeInBrowser('a conversation that is interrupted', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test('continues after a reload in the middle of a reply', async () => {
    const page = await stage.visit(await stage.deploy({}, `emu-n${LONG}-gap25-r3`))
    const chat = await openChat(page)
    await write(chat, 'Hello')
    await inTheMiddle(chat, WHOLE)
    await page.reload()
    await page.waitForFunction('window.parley')
    const again = await openChat(page)
    await replied(again)
    expect(await said(again)).toEqual(['Hello', `Reasoning\n${WHOLE}`])
    expect(await ask(again, 'say: Still here')).toContain('Still here')

    await page.reload()
    await page.waitForFunction('window.parley')
    const later = await openChat(page)
    await later.waitForSelector('.reply')
    await expect.poll(() => said(later)).toEqual(['Hello', WHOLE, 'say: Still here', 'Still here'])
    await page.context().close()
  })

  test('continues after a cut connection, without gaps or duplicates', async () => {
    const page = await stage.visit(await stage.deploy({}, `emu-n${LONG}-gap25`))
    const chat = await openChat(page)
    await write(chat, 'Hello')
    await inTheMiddle(chat, WHOLE)
    stage.line.cut()
    await chat.waitForSelector('.trouble')
    stage.line.mend()
    await replied(chat)
    expect(await said(chat)).toEqual(['Hello', WHOLE])
    expect(await chat.locator('.trouble').count()).toBe(0)
    await page.context().close()
  })

  test('keeps the conversation until the page closes if the browser stores nothing', async () => {
    const page = await stage.visit(await stage.deploy())
    await page.addInitScript(
      'Object.defineProperty(window, "localStorage", { get() { throw new Error("refused") } })',
    )
    await page.reload()
    await page.waitForFunction('window.parley')
    const chat = await openChat(page)
    expect(await ask(chat, 'say: One')).toBe('One')
    expect(await ask(chat, 'say: Two')).toBe('Two')
    await page.context().close()
  })

  test('shows the question of one window in the other, which keeps its own draft', async () => {
    const id = await stage.deploy({}, `emu-n${LONG}-gap25`)
    const first = await stage.visit(id)
    const one = await openChat(first)
    await ask(one, 'say: Hello')
    const two = await openChat(await stage.visit(id, {}, first.context()))
    await two.waitForSelector('.reply')
    await write(one, 'Tell me more')
    await inTheMiddle(one, WHOLE)
    await write(two, 'say: Mine')
    await two.waitForSelector('text=Retry')
    expect(await said(two)).toEqual([
      'say: Hello',
      'Hello',
      'Tell me more',
      WHOLE,
      'say: Mine',
      'A reply is still in progress. Send your message when the reply is complete. Retry',
    ])
    await two.click('text=Retry')
    await two.waitForSelector('.reply >> text=Mine')
    await first.context().close()
  })
})

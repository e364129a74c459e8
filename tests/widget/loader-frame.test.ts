import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { buttonOf } from '#tests/support/button.ts'
import { ask, chatIn, openChat, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

const PHONE = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true }

describeInBrowser("the loader's frame", () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test('survives a replacement of the body by a framework', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await ask(chat, 'say: Hello')
    await page.evaluate('document.body.replaceWith(document.createElement("body"))')
    expect(await ask(chat, 'say: Still here')).toBe('Still here')
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    await page.context().close()
  })

  test('reloads a frame that failed to load', async () => {
    const page = await stage.visit(await stage.deploy())
    const failed = page.waitForEvent('requestfailed')
    stage.line.cut()
    await page.evaluate('parley.open()')
    await failed
    // The browser shows its error page with a delay. Requests before that would be lost.
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith('chrome-error:'))).toBe(true)
    stage.line.mend()
    await page.evaluate('parley.close()')
    expect(await ask(await openChat(page), 'say: Here')).toBe('Here')
    await page.context().close()
  })

  test('fills the screen of a phone, and can be closed there', async () => {
    const page = await stage.visit(await stage.deploy(), PHONE)
    await page.touchscreen.tap(PHONE.viewport.width - 48, PHONE.viewport.height - 48)
    const chat = await chatIn(page)
    const size = 'innerWidth + "x" + innerHeight'
    await expect.poll(() => chat.evaluate(size)).toBe('390x780')
    await expect.poll(() => buttonOf(page)).toBe(null)
    await chat.tap('button[aria-label="Close chat"]')
    await expect.poll(() => buttonOf(page)).toMatchObject({ isExpanded: false })
    await page.context().close()
  })

  test('accepts messages only from its own frame', async () => {
    const page = await stage.visit(await stage.deploy())
    await openChat(page)
    await page.evaluate('window.postMessage({ parley: "close" }, "*")')
    // Messages that the page has posted are delivered before its next task.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    await page.context().close()
  })

  test('is refused by its frame on a page that is not allowed', async () => {
    const elsewhere = await stage.deploy({ allowed_origins: ['https://company.example'] })
    const refused = await stage.visit(elsewhere)
    const complaint = refused.waitForEvent('console')
    await refused.evaluate('parley.open()')
    expect((await complaint).text()).toContain('frame-ancestors')
    expect(refused.frames().some((frame) => frame.url().includes('/embed/'))).toBe(false)
    await refused.context().close()

    const here = await stage.deploy({ allowed_origins: ['https://company.example', stage.site.url] })
    const page = await stage.visit(here)
    expect(await ask(await openChat(page), 'say: Welcome')).toBe('Welcome')
    await page.context().close()
  })
})

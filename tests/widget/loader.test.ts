import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { pageWith } from '#tests/support/company-site.ts'
import { ask, chatIn, openChat, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

const PHONE = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true }

/** What assistive technology finds of the button, which a script of the page cannot see. */
async function buttonOf(
  page: Page,
): Promise<{ name: string; isExpanded: boolean; isFocused: boolean } | null> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const button = nodes.find(({ role }) => role?.value === 'button')
  const property = (name: string) => button?.properties?.find((one) => one.name === name)?.value.value
  return button
    ? {
        name: button.name?.value,
        isExpanded: property('expanded') === true,
        isFocused: property('focused') === true,
      }
    : null
}

const frames = (page: Page): number => page.frames().length - 1

describeInBrowser('the loader', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test('puts a button on a page with the strictest policy, and asks for nothing else before it is used', async () => {
    const id = await stage.deploy({
      branding: { company_name: 'Nordlicht' },
      theme: { primary_color: '#facc15' },
    })
    const complaints: string[] = []
    const asked: string[] = []
    stage.site.page.policy = ''
    const context = await stage.browser.newContext()
    context.on('request', (request) => asked.push(new URL(request.url()).pathname))
    context.on('console', (message) => complaints.push(message.text()))
    const page = await stage.visit(id, {}, context)
    expect(await buttonOf(page)).toEqual({ name: 'Chat with Nordlicht', isExpanded: false, isFocused: false })
    expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(['/', '/widget.js'])
    expect(await page.evaluate('document.querySelector("parley-chat").shadowRoot')).toBe(null)

    const chat = await openChat(page)
    expect(await ask(chat, 'say: Good morning')).toBe('Good morning')
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is used by keyboard alone', async () => {
    const page = await stage.visit(await stage.deploy())
    const { keyboard } = page
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    expect((await buttonOf(page))?.isFocused).toBe(true)
    await keyboard.press('Enter')
    const chat = await chatIn(page)
    await chat.waitForSelector('textarea:focus')
    await keyboard.type('say: one\ntwo')
    await keyboard.press('Shift+Enter')
    await keyboard.type('three')
    // The line break of `type` has sent the first line.
    await chat.waitForSelector('.reply[aria-busy=false]')
    expect(await chat.inputValue('textarea')).toBe('two\nthree')
    await keyboard.press('Escape')
    await expect.poll(() => buttonOf(page)).toMatchObject({ isExpanded: false, isFocused: true })
    await keyboard.press('Space')
    await chat.waitForSelector('textarea:focus')
    expect(await chat.inputValue('textarea')).toBe('two\nthree')
    await page.context().close()
  })

  test('is there once, however often it is put on the page', async () => {
    const id = await stage.deploy()
    const script = `${stage.line.url}/widget.js?deployment=${id}`
    const page = await stage.visit(id, {}, undefined, pageWith(script, script))
    await page.waitForLoadState()
    expect(await page.locator('parley-chat').count()).toBe(1)
    await page.evaluate('parley.open(), parley.open()')
    await chatIn(page)
    expect(frames(page)).toBe(1)

    await page.evaluate('parley.destroy()')
    expect(await page.evaluate('window.parley')).toBeUndefined()
    expect(await page.locator('parley-chat').count()).toBe(0)
    expect(frames(page)).toBe(0)
    await page.context().close()
  })

  test('comes to a page whose body is not there yet, and which has an element of its name', async () => {
    const id = await stage.deploy({ widget_placement: 'bottom-left' })
    const html = `<!doctype html><html lang="en"><head><title>A company</title>
<script src="${stage.line.url}/widget.js?deployment=${id}"></script></head><body><p id="parley">Parley</p></body></html>`
    const page = await stage.visit(id, {}, undefined, html)
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    expect(width).toBeGreaterThan(0)
    await page.mouse.click(40, height - 40)
    await chatIn(page)
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    await page.context().close()
  })

  test('stays where a framework puts up another body', async () => {
    const page = await stage.visit(await stage.deploy())
    const chat = await openChat(page)
    await ask(chat, 'say: Hello')
    await page.evaluate('document.body.replaceWith(document.createElement("body"))')
    expect(await ask(chat, 'say: Still here')).toBe('Still here')
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    await page.context().close()
  })

  test('fetches its frame again where it did not come', async () => {
    const page = await stage.visit(await stage.deploy())
    const failed = page.waitForEvent('requestfailed')
    stage.line.cut()
    await page.evaluate('parley.open()')
    await failed
    stage.line.mend()
    await page.evaluate('parley.close()')
    expect(await ask(await openChat(page), 'say: Here')).toBe('Here')
    await page.context().close()
  })

  test('fills the screen of a phone, and is closed there', async () => {
    const page = await stage.visit(await stage.deploy(), PHONE)
    await page.touchscreen.tap(PHONE.viewport.width - 48, PHONE.viewport.height - 48)
    const chat = await chatIn(page)
    const size = 'innerWidth + "x" + innerHeight'
    await expect.poll(() => chat.evaluate(size)).toBe('390x780')
    await expect.poll(() => buttonOf(page)).toBe(null)
    await chat.tap('button[aria-label="Close the chat"]')
    await expect.poll(() => buttonOf(page)).toMatchObject({ isExpanded: false })
    await page.context().close()
  })

  test('listens to its own frame only', async () => {
    const page = await stage.visit(await stage.deploy())
    await openChat(page)
    await page.evaluate('window.postMessage({ parley: "close" }, "*")')
    // What the page has posted is delivered before what it is asked next.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    expect((await buttonOf(page))?.isExpanded).toBe(true)
    await page.context().close()
  })

  test('is refused by its frame on a page that is not listed', async () => {
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

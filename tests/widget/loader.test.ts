import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { buttonOf } from '#tests/support/button.ts'
import { pageWith } from '#tests/support/company-site.ts'
import { ask, chatIn, openChat, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

const frames = (page: Page): number => page.frames().length - 1

describeInBrowser('the loader', () => {
  let stage: WidgetStage
  beforeAll(async () => {
    stage = await startWidgetStage()
  })
  afterAll(() => stage.stop())

  test('adds a button to a page with the strictest policy, and loads nothing else before use', async () => {
    const id = await stage.deploy({
      branding: { company_name: 'Nordlicht' },
      theme: { primary_color: '#facc15' },
    })
    const complaints: string[] = []
    const asked: string[] = []
    stage.site.page.policy = ''
    const context = await stage.newContext()
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

  test('works with the keyboard alone', async () => {
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
    // Typing the line break after `one` pressed Enter, which has sent the first line.
    await chat.waitForSelector('.reply[aria-busy=false]')
    expect(await chat.inputValue('textarea')).toBe('two\nthree')
    await keyboard.press('Escape')
    await expect.poll(() => buttonOf(page)).toMatchObject({ isExpanded: false, isFocused: true })
    await keyboard.press('Space')
    await chat.waitForSelector('textarea:focus')
    expect(await chat.inputValue('textarea')).toBe('two\nthree')
    await page.context().close()
  })

  test('is added once, even if the page includes it several times', async () => {
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

  test('works before the body exists, and on a page with an element of its name', async () => {
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
})

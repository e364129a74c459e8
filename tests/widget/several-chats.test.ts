import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type Box, buttonsOf } from '#tests/support/button.ts'
import { pageWith } from '#tests/support/company-site.ts'
import { ask, said, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Returns the pairs of rectangles that overlap. */
const overlaps = (boxes: Box[]): [Box, Box][] =>
  boxes.flatMap((one, at) =>
    boxes.slice(at + 1).flatMap((other) => (overlap(one, other) ? [[one, other] as [Box, Box]] : [])),
  )

async function boxOf(frame: Frame): Promise<Box> {
  const box = await (await frame.frameElement()).boundingBox()
  const { x = 0, y = 0, width = 0, height = 0 } = box ?? {}
  return { left: x, top: y, right: x + width, bottom: y + height }
}

async function frameOf(page: Page, id: string): Promise<Frame> {
  const find = () => page.frames().find((frame) => frame.url().includes(`/embed/${id}`))
  await expect.poll(find).toBeDefined()
  const frame = find() as Frame
  await frame.waitForSelector('textarea')
  return frame
}

const namesOf = async (page: Page) => (await buttonsOf(page)).map(({ name }) => name)
const opened = async (page: Page) =>
  (await buttonsOf(page)).filter(({ isExpanded }) => isExpanded).map(({ name }) => name)
/** Clicks the middle of a button, as a person would. Anything that covers the button gets the click. */
async function press(page: Page, name: string): Promise<void> {
  const {
    left = 0,
    top = 0,
    right = 0,
    bottom = 0,
  } = (await buttonsOf(page)).find((button) => button.name === name)?.box ?? {}
  await page.mouse.click((left + right) / 2, (top + bottom) / 2)
}

const SALES = 'Chat with Sales'
const SUPPORT = 'Chat with Support'

describeInBrowser('two deployments on one page', () => {
  let stage: WidgetStage
  let sales: string
  let support: string
  beforeAll(async () => {
    stage = await startWidgetStage()
    sales = await stage.deploy({ branding: { company_name: 'Sales' } })
    support = await stage.deploy({
      branding: { company_name: 'Support' },
      theme: { primary_color: '#0f766e' },
    })
  })
  afterAll(() => stage.stop())

  const scriptOf = (id: string) => `${stage.line.url}/widget.js?deployment=${id}`
  async function visit(
    options: Parameters<WidgetStage['visit']>[1] = {},
    ids = [sales, support],
    visitor?: Parameters<WidgetStage['visit']>[2],
  ): Promise<Page> {
    const page = await stage.visit(ids[0] ?? '', options, visitor, pageWith(...ids.map(scriptOf)))
    await expect.poll(() => page.locator('parley-chat').count()).toBe(ids.length)
    return page
  }

  test('are two chats side by side, which know nothing of each other', async () => {
    const page = await visit()
    const boxes = (await buttonsOf(page)).map(({ box }) => box)
    expect([boxes.length, overlaps(boxes)]).toEqual([2, []])
    await press(page, SALES)
    await press(page, SUPPORT)
    const [one, other] = [await frameOf(page, sales), await frameOf(page, support)]
    expect(await opened(page)).toHaveLength(2)
    expect(overlaps([...boxes, await boxOf(one), await boxOf(other)])).toEqual([])
    expect(await ask(one, 'say: From sales')).toBe('From sales')
    expect(await ask(other, 'say: From support')).toBe('From support')
    expect(await said(one)).toEqual(['say: From sales', 'From sales'])

    const stored: [string, string][] = await other.evaluate('Object.entries(localStorage)')
    for (const id of [sales, support])
      expect(stored.filter(([key]) => key.startsWith(`parley:${id}:`)).map(([key]) => key)).toHaveLength(2)
    expect(new Set(stored.map(([, value]) => value)).size).toBe(4)

    await one.press('textarea', 'Escape')
    await expect.poll(() => opened(page)).toEqual([SUPPORT])
    await press(page, SUPPORT)
    await expect.poll(() => opened(page)).toEqual([])
    await page.context().close()
  })

  test('are opened, closed and removed by their ids, and without an id the first one is', async () => {
    const page = await visit({}, [sales, support])
    await page.evaluate('window.first = parley')
    await page.evaluate(`parley.open('${support}')`)
    await expect.poll(() => opened(page)).toEqual([SUPPORT])
    await page.evaluate(`parley.open(), parley.close('${support}')`)
    await expect.poll(() => opened(page)).toEqual([SALES])
    await page.evaluate("parley.open('unknown'), parley.destroy('unknown')")
    expect(await opened(page)).toEqual([SALES])

    const [, corner] = (await buttonsOf(page)).map(({ box }) => box).sort((a, b) => a.left - b.left)
    await page.evaluate('parley.destroy()')
    expect(await namesOf(page)).toEqual([SUPPORT])
    expect((await buttonsOf(page))[0]?.box).toEqual(corner)
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement('script'), {
        src: trustedTypes.createPolicy('test', { createScriptURL: (url) => url }).createScriptURL('${scriptOf(sales)}'),
      }))`,
    )
    await expect.poll(() => page.locator('parley-chat').count()).toBe(2)
    expect(await page.evaluate('window.first === parley')).toBe(true)
    await page.evaluate('parley.destroy(), parley.destroy()')
    expect(await page.evaluate('window.parley')).toBeUndefined()
    expect(await page.locator('parley-chat').count()).toBe(0)
    await page.context().close()
  })

  test('have their places in the order of their scripts, whichever loads first', async () => {
    const visitor = await stage.newContext()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await visitor.route(scriptOf(sales), async (route) => {
      await held
      await route.continue()
    })
    stage.site.page.html = pageWith(scriptOf(sales), scriptOf(support))
    const page = await visitor.newPage()
    // The page has loaded only after its scripts.
    await page.goto(stage.site.url, { waitUntil: 'commit' })
    await expect.poll(() => page.evaluate('Boolean(window.parley)')).toBe(true)
    const [alone] = await buttonsOf(page)
    release()
    await expect.poll(() => page.locator('parley-chat').count()).toBe(2)
    const places = new Map((await buttonsOf(page)).map(({ name, box }) => [name, box]))
    expect(places.get(SALES)).toEqual(alone?.box)
    expect(places.get(SUPPORT)?.right).toBeLessThan(places.get(SALES)?.left ?? 0)
    await page.evaluate('parley.open()')
    await expect.poll(() => opened(page)).toEqual([SALES])
    await visitor.close()
  })

  test('take turns where a page has no room for both, also from opposite sides', async () => {
    const left = await stage.deploy({
      widget_placement: 'bottom-left',
      branding: { company_name: 'Left' },
    })
    const page = await visit({ viewport: { width: 700, height: 700 } }, [sales, support, left])
    expect(overlaps((await buttonsOf(page)).map(({ box }) => box))).toEqual([])
    for (const name of [SALES, SUPPORT, 'Chat with Left', SALES]) {
      await press(page, name)
      await expect.poll(() => opened(page)).toEqual([name])
    }
    await page.context().close()
  })

  test('do not cover each other on a phone', async () => {
    const page = await visit({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })
    const boxes = (await buttonsOf(page)).map(({ box }) => box)
    expect(overlaps(boxes)).toEqual([])
    const other = (await buttonsOf(page)).find(({ name }) => name === SUPPORT)?.box
    await press(page, SALES)
    const chat = await frameOf(page, sales)
    await expect.poll(() => namesOf(page)).not.toContain(SALES)
    await page.mouse.click(other?.left ?? 0, other?.top ?? 0)
    expect(await opened(page)).toEqual([])
    await chat.tap('button[aria-label="Close chat"]')
    await expect.poll(() => namesOf(page)).toContain(SALES)
    await press(page, SUPPORT)
    expect(await boxOf(await frameOf(page, support))).toMatchObject({ left: 0, right: 360 })
    await page.context().close()
  })
})

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

/** The frame of the page, which is painted before the console's scripts have run. */

/** The height of the form can differ a little between languages. */
const JUMP_PIXELS_MAX = 8

describeInBrowser('the frame of the console', () => {
  let stage: ConsoleStage
  let person: Person
  beforeAll(async () => {
    stage = await sharedConsoleStage()
    person = await stage.server.signUp()
  }, 180_000)
  afterAll(() => stage?.stop())

  /** Opens a page whose scripts wait until `go` is called, except the first one. */
  const openHeld = async (path: string, options: { person?: Person; phone?: boolean } = {}) => {
    const page = await stage.open('about:blank', options.person, {
      colorScheme: 'dark',
      ...(options.phone && { viewport: PHONE }),
    })
    const { promise, resolve: go } = Promise.withResolvers<void>()
    await page.route(/\/assets\/index-.*js$/, async (route) => {
      await promise
      await route.continue()
    })
    await page.goto(path, { waitUntil: 'commit' })
    await page.locator('html[data-frame]').waitFor()
    return { page, go }
  }
  const painted = (page: Page) =>
    page.evaluate("performance.getEntriesByName('first-contentful-paint').length")
  const box = async (page: Page, selector: string) => {
    const { x, y, width } =
      (await page.locator(selector).filter({ visible: true }).first().boundingBox()) ?? {}
    return { x, y, width }
  }

  test.each([
    { name: 'a desktop', phone: false },
    { name: 'a phone', phone: true },
  ])('has the theme and the measures of the page on $name', async ({ phone }) => {
    const { page, go } = await openHeld('/', { person, phone })
    await expect.poll(() => painted(page)).toBe(1)
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await page.locator('body').innerText()).toBe('')
    expect(await page.locator('#frame').getAttribute('aria-hidden')).toBe('true')
    const frame = await box(page, '#frame svg')
    go()
    await page.getByRole('heading', { name: /Ada/ }).waitFor()
    expect(await page.locator('#frame').isVisible()).toBe(false)
    expect(await box(page, `#console .lucide-${phone ? 'menu' : 'search'}`)).toEqual(frame)
    await expectAccessible(page)
  })

  test('shows the card of signed-out users, and the shell after they sign in', async () => {
    const { page, go } = await openHeld('/sign_in')
    await expect.poll(() => painted(page)).toBe(1)
    const card = await box(page, '#frame .rounded-2xl')
    go()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByRole('link', { name: 'Create account' }).waitFor()
    const { x, y = 0, width } = await box(page, 'main section')
    expect({ x, width }).toEqual({ x: card.x, width: card.width })
    expect(Math.abs(y - (card.y ?? 0))).toBeLessThan(JUMP_PIXELS_MAX)

    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/users/me', async (route) => {
      await promise
      await route.continue()
    })
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('html[data-frame=page]').waitFor()
    expect(await page.locator('#frame').isVisible()).toBe(true)
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'attached' })
    resolve()
    await page.getByRole('heading', { name: /Ada/ }).waitFor()
    expect(await page.locator('#frame').isVisible()).toBe(false)
    expect(stage.problems).toEqual([])
  })
})

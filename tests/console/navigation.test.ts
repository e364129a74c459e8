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
import { roleOf } from '#tests/support/tenants.ts'

/** The navigation: the sidebar by role, the settings area, the shortcuts, and one header on phones. */

describeInBrowser('the navigation', () => {
  let stage: ConsoleStage
  let ada: Person

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    ada = await stage.server.signUp()
  }, 120_000)
  afterAll(() => stage?.stop())

  const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Console' })
  const namesIn = async (page: Page) =>
    (await sidebar(page).getByRole('link').allInnerTexts()).map((name) => name.trim())

  test('has Home and Chats first, then what people build, and the settings below', async () => {
    const page = await stage.open('/agents', ada)
    await sidebar(page).waitFor()
    expect(await namesIn(page)).toEqual([
      'Home',
      'Chats',
      'Conversations',
      'Agents',
      'Knowledge',
      'Tools',
      'Connections',
      'Deployments',
      'Playground',
      'Settings',
    ])
    await sidebar(page).getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    expect(await sidebar(page).locator('[aria-current=page]').allInnerTexts()).toEqual(['Home'])
  })

  test('shows only what the role permits, and a settings area without administration', async () => {
    const guest = await stage.server.signUp()
    const made = await stage.server.call('POST', '/api/org/create_org?name=Society', { token: ada.token })
    const society = { ...ada, organizationId: made.body.id }
    await stage.server.call('POST', '/api/org/add_member', {
      token: ada.token,
      body: {
        organization_id: society.organizationId,
        user_id: guest.userId,
        role_id: await roleOf(stage.server, society, 'guest'),
      },
    })
    const page = await stage.open(`/?org_id=${society.organizationId}`, guest)
    await page.getByRole('button', { name: 'Open organization' }).click()
    await sidebar(page).waitFor()
    const names = await namesIn(page)
    expect(names.slice(0, 2)).toEqual(['Home', 'Chats'])
    expect(names).not.toContain('Installation')
    await sidebar(page).getByRole('link', { name: 'Settings' }).click()
    const area = page.getByRole('navigation', { name: 'Settings' })
    await area.waitFor()
    expect(await area.getByRole('link', { name: 'API keys' }).count()).toBe(0)
  })

  test('the settings area has a navigation of its own on every page', async () => {
    const page = await stage.open('/', ada)
    await sidebar(page).getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'General', level: 1 }).waitFor()
    const area = page.getByRole('navigation', { name: 'Settings' })
    const pages = ['Members', 'Roles', 'Audit log', 'Models', 'Usage', 'API keys', 'Webhooks']
    expect((await area.getByRole('link').allInnerTexts()).map((name) => name.trim())).toEqual([
      'General',
      ...pages,
    ])
    for (const name of pages) {
      await area.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      expect(await area.locator('[aria-current=page]').innerText()).toBe(name)
    }
    await expectAccessible(page)
  })

  test('unknown pages keep the navigation', async () => {
    const page = await stage.open('/agents/nothing/here', ada)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await sidebar(page).getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  })

  test('the sidebar collapses to icons, and the browser remembers it', async () => {
    const page = await stage.open('/', ada)
    const toggle = page.getByRole('button', { name: 'Collapse or expand sidebar' })
    const width = async () => (await page.locator('aside').boundingBox())?.width ?? 0
    await toggle.click()
    await expect.poll(width).toBeLessThan(70)
    await page.reload()
    await toggle.waitFor()
    expect(await width()).toBeLessThan(70)
    await sidebar(page).getByRole('link', { name: 'Knowledge' }).click()
    await page.getByRole('heading', { name: 'Knowledge bases', level: 1 }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('[')
    await expect.poll(width).toBeGreaterThan(200)
  })

  test('shortcuts open pages, and none runs while the user types', async () => {
    const page = await stage.open('/agents', ada)
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    const question = page.getByRole('textbox', { name: 'Ask anything' })
    await question.waitFor()
    await question.focus()
    await page.keyboard.type('gang? [')
    expect(await question.inputValue()).toBe('gang? [')
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByRole('dialog').count()).toBe(0)

    await question.blur()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('G K', { exact: true }).waitFor()
    await expectAccessible(page)
    await sheet.getByRole('switch', { name: 'Shortcuts without Ctrl or Cmd' }).click()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
  })

  test('phones have one header, also in chats, and its menu opens every page', async () => {
    const page = await stage.open('/chats', ada, { viewport: PHONE, hasTouch: true, isMobile: true })
    await page.getByRole('heading', { name: 'New chat', level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: 'Menu' }).count()).toBe(1)
    const header = await page.getByRole('main').getByRole('banner').or(page.locator('main header')).first()
    expect((await header.boundingBox())?.y).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('dialog', { name: 'Parley' })
    await menu.getByRole('link', { name: 'Settings' }).click()
    await menu.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'General', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Parley' }).click()
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  })

  test.each(['/', '/chats', '/agents', '/knowledge', '/tools', '/members', '/models', '/usage'])(
    'controls of %s are at least 40 px high on phones',
    async (path) => {
      const page = await stage.open(path, ada, { viewport: PHONE, hasTouch: true, isMobile: true })
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
      expect(await page.evaluate(SMALL_TARGETS)).toEqual([])
    },
  )

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})

/** Lists the visible buttons, fields and links with an icon or a box that are lower than 40 px. Links in text may be. */
const SMALL_TARGETS = `[...document.querySelectorAll('button:not([role=switch]), select, input:not([type=checkbox], [type=file]), nav a')]
  .filter((element) => element.checkVisibility() && getComputedStyle(element).position !== 'absolute')
  .filter((element) => !element.closest('label, .sr-only, p, [class*=sr-only]'))
  .filter((element) => element.getBoundingClientRect().height < 39.5)
  .map((element) => (element.ariaLabel ?? element.innerText) + ' ' + element.getBoundingClientRect().height)`

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { type ConsoleStage, startConsoleStage } from '#tests/support/console-stage.ts'

/** A screen whose chunk cannot be loaded: the page and its drafts stay, and only the user reloads. */

/** Of the notice about the missing screen. The notice about the connection has the same title. */
const OFFLINE = 'The page opens when the connection is back'

describeInBrowser('a missing chunk of the console', () => {
  let stage: ConsoleStage
  beforeAll(async () => {
    stage = await startConsoleStage()
  }, 120_000)
  afterAll(() => stage?.stop())

  const draft = (page: Page) => page.getByLabel('Email')
  const link = (page: Page) => page.getByRole('link', { name: 'Forgot password?' })
  const heading = (page: Page) => page.getByRole('heading', { name: 'Forgot password?' })
  const isSamePage = (page: Page) => page.evaluate<boolean>(`window.isSamePage === true`)

  /** Opens a page with a filled form, and a link to a screen that isn't loaded. */
  async function fillForm(): Promise<Page> {
    const page = await stage.open('/sign_in')
    await draft(page).fill('grace@example.com')
    await page.evaluate(`window.isSamePage = true`)
    return page
  }
  async function expectDraft(page: Page): Promise<void> {
    expect(await draft(page).inputValue()).toBe('grace@example.com')
    expect(await isSamePage(page)).toBe(true)
  }

  test('fails silently on hover, keeps the page, and loads when the connection is back', async () => {
    const page = await fillForm()
    await page.context().setOffline(true)
    const failed = page.waitForEvent('requestfailed')
    await link(page).hover()
    await failed
    await expectDraft(page)
    expect(await page.getByText(OFFLINE).count()).toBe(0)

    await link(page).click()
    await page.getByText(OFFLINE).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(OFFLINE).waitFor()
    await expectDraft(page)
    await page.context().setOffline(false)
    await heading(page).waitFor()
    expect(await isSamePage(page)).toBe(true)
    expect(await page.getByText(OFFLINE).count()).toBe(0)
  })

  test('of an old build makes the page offer a reload', async () => {
    const page = await fillForm()
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, json: {} }))
    await page.route('/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/assets/new.js"></script>',
      }),
    )
    await link(page).click()
    await page.getByText('A new version is available').waitFor()
    await expectDraft(page)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload' }).click()
    await heading(page).waitFor()
    expect(await isSamePage(page)).toBe(false)
  })
})

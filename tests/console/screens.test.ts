import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import {
  APPEARANCES,
  type ConsoleStage,
  expectAccessibleOn,
  overflowing,
  PHONE,
  sharedConsoleStage,
} from '#tests/support/console-stage.ts'
import { furnish } from '#tests/support/furnish.ts'
import { smallTargets } from '#tests/support/touch-targets.ts'

/** The limit for one screen on a busy machine. */
const SHOWN_MS_MAX = 60_000
/** True once the new screen is shown. The previous screen stays visible until the code of the new one is loaded. */
const IS_SHOWN =
  '__TSR_ROUTER__.state.status === "idle" && __TSR_ROUTER__.state.resolvedLocation?.pathname === location.pathname'

/** axe checks every screen that the router knows, including screens without a test. */

describeInBrowser('every screen of the console', () => {
  let stage: ConsoleStage
  let person: Person
  let ids: Record<string, string>

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    person = await stage.server.signUp()
    ids = await furnish(stage.server, person)
  }, 120_000)
  afterAll(() => stage?.stop())

  for (const appearance of APPEARANCES)
    test(`has no serious findings on ${appearance.name}`, async () => {
      const outside = await stage.open('/sign_in')
      await outside.getByRole('heading', { name: 'Sign in' }).waitFor()
      const check = (page: Page) => expectAccessibleOn(page, appearance)
      await lookAtAll(outside, (id) => !id.startsWith('/app'), check)
      const inside = await stage.open('/', person)
      await inside.getByRole('heading', { level: 1 }).waitFor()
      await lookAtAll(inside, (id) => id.startsWith('/app'), check)
      expect(stage.problems).toEqual([])
    })

  test('fits a phone and fingers in the pseudo-language, whose text is longer than any translation', async () => {
    const check = async (page: Page) => {
      const at = new URL(page.url()).pathname
      expect({ [at]: await overflowing(page) }).toEqual({ [at]: [] })
      small.push(...(await smallTargets(page)).map((one) => `${at}: ${one}`))
    }
    const small: string[] = []
    for (const [path, user] of [['/sign_in'], ['/', person]] as const) {
      const page = await stage.open('about:blank', user, { viewport: PHONE, reducedMotion: 'reduce' })
      await page.addInitScript(
        `if (location.protocol !== 'about:') localStorage.setItem('parley.language', 'pseudo')`,
      )
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await lookAtAll(page, (id) => id.startsWith('/app') === (user !== undefined), check)
    }
    expect(small).toEqual([])
    expect(stage.problems).toEqual([])
  })

  async function lookAtAll(
    page: Page,
    isMeant: (id: string) => boolean,
    check: (page: Page) => Promise<void>,
  ) {
    const paths = (await pathsOf(page)).filter(([id]) => isMeant(id)).map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(7)
    for (const path of new Set(paths)) {
      const address = path.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? `no ${name} is known`)
      // Navigates like a link. Reloading the page for each screen would take three times as long.
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`)
      await expect.poll(() => page.evaluate(IS_SHOWN), { timeout: SHOWN_MS_MAX }).toBe(true)
      await page.getByRole('heading').first().waitFor()
      await expect
        .poll(() => page.getByRole('status', { name: /Loading|Löådîñĝ/ }).count(), { timeout: SHOWN_MS_MAX })
        .toBe(0)
      await check(page)
    }
  }
})

/** The ids of the router's routes, with their paths. */
const pathsOf = (page: Page): Promise<[id: string, path: string][]> =>
  page.evaluate(
    `Object.entries(__TSR_ROUTER__.routesById).map(([id, { fullPath }]) => [id, fullPath.replace(/(.)\\/$/, '$1')])`,
  )

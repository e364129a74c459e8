import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, startConsoleStage } from '#tests/support/console-stage.ts'

/**
 * Limits for the first load of the console that don't depend on the machine: bytes, requests, layout shifts. The
 * bench measures times.
 */

const STYLE_BYTES_MAX = 20_000
const FILES_MAX = 20
/** Text appears before the typeface arrives, so the typeface has a limit of its own. */
const FONT_BYTES_MAX = 50_000
/** The threshold that Lighthouse rates as good. */
const LAYOUT_SHIFT_MAX = 0.1

/** Landing page and most visited screens, with the limit of gzipped script bytes. */
const SCREENS = [
  { path: '/sign_in', heading: 'Sign in', isOutside: true, scriptBytesMax: 150_000 },
  { path: '/', heading: /Ada/, isOutside: false, scriptBytesMax: 150_000 },
  { path: '/chats', heading: /How can I help/, isOutside: false, scriptBytesMax: 190_000 },
]

describeInBrowser('the first load of the console', () => {
  let stage: ConsoleStage
  let person: Person
  beforeAll(async () => {
    stage = await startConsoleStage()
    person = await stage.server.signUp()
  })
  afterAll(() => stage?.stop())

  test.each(SCREENS)('$path is small, shifts no layout, and contacts no other server', async (screen) => {
    const page = await stage.open('about:blank', screen.isOutside ? undefined : person, {})
    const responses: Response[] = []
    page.on('response', (response) => responses.push(response))
    await watchShifts(page)
    await page.goto(screen.path)
    await page.getByRole('heading', { name: screen.heading }).first().waitFor()
    await page.evaluate('document.fonts.ready.then(() => null)')
    await page.waitForLoadState('networkidle')

    const files = responses.filter((response) =>
      ['script', 'stylesheet', 'font', 'image'].includes(kindOf(response)),
    )
    const bytes = await bytesByKind(files)
    expect(bytes['script']).toBeGreaterThan(50_000)
    expect(bytes['script']).toBeLessThan(screen.scriptBytesMax)
    expect(bytes['stylesheet']).toBeLessThan(STYLE_BYTES_MAX)
    expect(bytes['font']).toBeLessThan(FONT_BYTES_MAX)
    expect(files.filter((file) => kindOf(file) !== 'font').length).toBeLessThan(FILES_MAX)
    for (const file of files) {
      expect(file.url()).toContain(stage.server.url)
      // A second load requests none of these files again.
      expect(file.headers()['cache-control']).toContain('immutable')
    }
    expect(await page.evaluate('window.shifted')).toBeLessThan(LAYOUT_SHIFT_MAX)
  })
})

const kindOf = (response: Response): string => response.request().resourceType()

/** Returns the gzipped size of the responses by kind. All browsers and proxies support gzip. */
async function bytesByKind(responses: Response[]): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {}
  for (const response of responses) {
    const packed = gzipSync(await response.body()).length
    bytes[kindOf(response)] = (bytes[kindOf(response)] ?? 0) + packed
  }
  return bytes
}

/** Sums up the layout shifts. */
const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(`
    window.shifted = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  `)

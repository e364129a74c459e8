import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Person } from '#tests/support/client.ts'
import type { ConsoleStage } from '#tests/support/console-stage.ts'
import type { Screen } from './screens.ts'
import type { Shop } from './shop.ts'

const QUALITY = 80

/** The viewport and color scheme of a screenshot. */
export interface Look {
  /** Appended to the name of the screen. */
  suffix: string
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
}

export const DESKTOP: Look = {
  suffix: '',
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
}
export const CHIEF_LOOKS: readonly Look[] = [
  { ...DESKTOP, suffix: '-dark', colorScheme: 'dark' },
  { suffix: '-phone', viewport: { width: 375, height: 740 }, colorScheme: 'light' },
]

/** Writes a screenshot of a screen to a folder. */
export async function take(
  shop: Shop<ConsoleStage>,
  person: Person | undefined,
  { name, path, before }: Screen,
  { suffix, viewport, colorScheme }: Look,
  folder: string,
): Promise<void> {
  const { stage, team } = shop
  const options: BrowserContextOptions = {
    viewport,
    colorScheme,
    reducedMotion: 'reduce',
    deviceScaleFactor: 1,
    locale: 'en-GB',
  }
  const isOfTeam = person?.organizationId === team.id && !path.includes('org_id=')
  const page = await stage.open(isOfTeam ? team.at(path) : path, person, options)
  await settle(page)
  await before?.(page, shop)
  await settle(page)
  writeFileSync(join(folder, `${name}${suffix}.webp`), await capture(page))
  await page.context().close()
}

/** Waits until the network is idle and nothing is animated. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  if (!(await page.evaluate(BECOMES_STILL))) throw new Error(`${page.url()} keeps loading or animating`)
}

const STILL_MS_MAX = 30_000
/** Waits inside the page: its content security policy blocks waitForFunction. */
const BECOMES_STILL = `(async () => {
  const deadline = performance.now() + ${STILL_MS_MAX}
  const isStill = () => document.querySelector('h1, main, form') !== null
  && document.querySelector('.shimmer, .skeleton, [aria-label=Loading], .animate-spin') === null
  && document.fonts.status === 'loaded'
  && document.getAnimations().every(({ playState }) => playState !== 'running')
  while (!isStill() && performance.now() < deadline) await new Promise(requestAnimationFrame)
  return isStill()
})()`

/**
 * Takes a screenshot as WebP, through the browser's own protocol: Playwright supports only PNG and JPEG, which are four
 * times as large.
 */
async function capture(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  return Buffer.from(data, 'base64')
}

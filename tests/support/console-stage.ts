import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished, TestRunner } from 'vitest'
import { seriousFindings } from './axe.ts'
import { borrowBrowser } from './browser.ts'
import type { Person } from './client.ts'
import { findFreePort } from './free-port.ts'
import { startTestServer, type TestServer } from './server.ts'

const BUILD_PROGRAM = join(import.meta.dirname, '../../console/build.ts')
const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 375, height: 740 }
/** Tokens live for 15 minutes: no test takes so long. */
const TOKEN_MS = 900_000
const THEME_MS_MAX = 10_000

export interface ConsoleStage {
  /** With the built-in demo models. */
  server: TestServer
  browser: Browser
  /**
   * A page of the console, as somebody who is signed in sees it, or as a stranger: with cookies and storage of its own,
   * and the cache of the tests before, which makes it three times as fast. With `options` it has an empty cache.
   */
  open(path: string, person?: Person, options?: BrowserContextOptions): Promise<Page>
  /** What no page may ever say: errors of scripts, and what its policy has refused. */
  problems: string[]
  stop(): Promise<void>
}

let built: Promise<unknown> | undefined

/** Builds the console unless it is built, once for all tests of this process. */
const build = (): Promise<unknown> => (built ??= promisify(execFile)(process.execPath, [BUILD_PROGRAM]))

/** The console over a server, in a browser. `environment`: what the server runs with beside what test servers do. */
export async function startConsoleStage(environment: Record<string, string> = {}): Promise<ConsoleStage> {
  const port = environment['PORT'] ?? String(await findFreePort())
  const site = environment['BASE_URL'] ?? `http://127.0.0.1:${port}`
  const [server, { browser, newContext, giveBack }] = await Promise.all([
    startTestServer({ ...environment, PORT: port, BASE_URL: site }),
    borrowBrowser(),
    build(),
  ])
  const problems: string[] = []
  const idle: BrowserContext[] = []
  return {
    server,
    browser,
    problems,
    async open(path, person, options) {
      const context =
        (options ? undefined : idle.pop()) ??
        (await newContext({ viewport: DESKTOP, baseURL: site, reducedMotion: 'reduce', ...options }))
      // What a test opens ends with it; what is opened before all tests ends with the stage.
      if (TestRunner.getCurrentTest())
        onTestFinished(async () => {
          if (options) return context.close()
          await empty(context)
          idle.push(context)
        })
      const page = await context.newPage()
      await begin(page, site, person)
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.stack ?? error.message}`))
      page.on('console', (message) => {
        if (message.type() !== 'error') return
        // A request that is refused is the console's to show, and not an error of the page.
        if (!message.text().startsWith('Failed to load resource'))
          problems.push(`${page.url()}: ${message.text()}`)
      })
      await page.goto(path)
      return page
    },
    async stop() {
      await giveBack()
      await server.stop()
    },
  }
}

/** Has a context be like a new one, apart from its cache; `begin` clears the storage, which only pages can. */
async function empty(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()))
  await Promise.all([context.clearCookies(), context.unrouteAll(), context.setOffline(false)])
}

/** Has a page begin with what the console and the browser keep when somebody has signed in, and nothing else. */
async function begin(page: Page, site: string, person: Person | undefined): Promise<void> {
  const { hostname: domain, port } = new URL(site)
  const [path, httpOnly, sameSite] = ['/api/auth', true, 'Strict'] as const
  if (person)
    await page
      .context()
      .addCookies([
        { name: `parley_refresh_${port}`, value: person.refreshToken, domain, path, httpOnly, sameSite },
      ])
  const session = person && JSON.stringify({ accessToken: person.token, expiresAt: Date.now() + TOKEN_MS })
  // An empty page has no storage.
  await page.addInitScript(`
    if (window === top && location.protocol !== 'about:' && sessionStorage.getItem('begun') === null) {
      localStorage.clear()
      sessionStorage.setItem('begun', '')
      const session = ${JSON.stringify(session ?? null)}
      if (session !== null) localStorage.setItem('parley.session', session)
    }
  `)
}

/** Contrast is the colours', all else the layout's: each of both is looked at once. */
export const APPEARANCES = [
  { name: 'a phone in the dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a desktop in the light', viewport: DESKTOP, colorScheme: 'light' },
] as const
export type Appearance = (typeof APPEARANCES)[number]

/** axe finds nothing serious on what a page shows: in light and dark, on a desktop and a phone, and nothing is cut off. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const appearance of APPEARANCES) await expectAccessibleOn(page, appearance)
}

/** Waits in the page, whose policy refuses what waitForFunction does, until the theme is on and no colour changes. */
const SETTLED = `async (theme, limitMs) => {
  const deadline = performance.now() + limitMs
  const isSettled = () =>
    document.documentElement.dataset.theme === theme
    && document.getAnimations().every(({ playState }) => playState !== 'running')
  while (!isSettled() && performance.now() < deadline) await new Promise(requestAnimationFrame)
  return isSettled()
}`

/** The same in one of them. */
export async function expectAccessibleOn(
  page: Page,
  { name, viewport, colorScheme }: Appearance,
): Promise<void> {
  await Promise.all([
    page.setViewportSize(viewport),
    page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }),
  ])
  const isSettled = await page.evaluate(`(${SETTLED})('${colorScheme}', ${THEME_MS_MAX})`)
  expect(isSettled, `the page follows to ${colorScheme}`).toBe(true)
  const at = `${new URL(page.url()).pathname} on ${name}`
  expect({ [at]: await seriousFindings(page) }).toEqual({ [at]: [] })
  const wide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect({ at, wide }).toEqual({ at, wide: 0 })
}

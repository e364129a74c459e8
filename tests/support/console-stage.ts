import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject, onTestFinished, TestRunner } from 'vitest'
import { seriousFindings } from './axe.ts'
import { borrowBrowser } from './browser.ts'
import type { Person } from './client.ts'
import { findFreePort } from './free-port.ts'
import { startTestServer, type TestServer } from './server.ts'

const BUILD_PROGRAM = join(import.meta.dirname, '../../console/build.ts')
const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 375, height: 740 }
/** Lifetime of an access token (15 minutes), which exceeds the duration of any test. */
const TOKEN_MS = 900_000
const THEME_MS_MAX = 60_000

export interface ConsoleStage {
  /** A server with the built-in demo models. */
  server: TestServer
  browser: Browser
  /**
   * Opens a page of the console, signed in as `person` or signed out, with empty cookies and storage. Without
   * `options`, the page reuses the HTTP cache of earlier tests, which makes it three times as fast. With `options`,
   * the cache is empty.
   */
  open(path: string, person?: Person, options?: BrowserContextOptions): Promise<Page>
  /** Script errors and Content-Security-Policy violations of all pages. Tests expect it to be empty. */
  problems: string[]
  /** Closes the contexts that were opened outside tests. */
  closeRemaining(): Promise<void>
  stop(): Promise<void>
}

let built: Promise<unknown> | undefined

/** Builds the console, at most once per process. */
const build = (): Promise<unknown> => (built ??= promisify(execFile)(process.execPath, [BUILD_PROGRAM]))

let shared: Promise<ConsoleStage> | undefined

/**
 * Returns a stage that all test files of a worker share, whose browser has the console in its cache. Use it for tests that
 * access only organizations they create (support/server.ts, sharedTestServer).
 */
export async function sharedConsoleStage(): Promise<ConsoleStage> {
  shared ??= startConsoleStage({ DATA_DIR: mkdtempSync(join(inject('templates'), 'shared-')) })
  const stage = await shared
  stage.problems.length = 0
  return { ...stage, stop: stage.closeRemaining }
}

/** Starts a server and opens its console in a browser. `environment` overrides the environment of test servers. */
export async function startConsoleStage(environment: Record<string, string> = {}): Promise<ConsoleStage> {
  const port = environment['PORT'] ?? String(await findFreePort())
  const site = environment['BASE_URL'] ?? `http://127.0.0.1:${port}`
  // Before the server starts, which keeps the files that it finds, also those of an earlier build.
  await build()
  const [server, { browser, newContext, giveBack }] = await Promise.all([
    startTestServer({ ...environment, PORT: port, BASE_URL: site }),
    borrowBrowser(),
  ])
  const problems: string[] = []
  const idle: BrowserContext[] = []
  const remaining: BrowserContext[] = []
  return {
    server,
    browser,
    problems,
    async open(path, person, options) {
      const context =
        (options ? undefined : idle.pop()) ??
        (await newContext({ viewport: DESKTOP, baseURL: site, reducedMotion: 'reduce', ...options }))
      // A context opened by a test is closed after that test. A context opened outside a test is closed by `stop`.
      if (TestRunner.getCurrentTest())
        onTestFinished(async () => {
          if (options) return context.close()
          await empty(context)
          idle.push(context)
        })
      else remaining.push(context)
      const page = await context.newPage()
      await begin(page, site, person)
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.stack ?? error.message}`))
      page.on('console', (message) => {
        if (message.type() !== 'error') return
        // The browser also logs failed requests. They aren't problems, because the console shows them itself.
        if (!message.text().startsWith('Failed to load resource'))
          problems.push(`${page.url()}: ${message.text()}`)
      })
      await page.goto(path)
      return page
    },
    async closeRemaining() {
      await Promise.all(remaining.splice(0).map((context) => context.close()))
    },
    async stop() {
      await giveBack()
      await server.stop()
    },
  }
}

/**
 * Closes the context's pages and clears its cookies, but keeps its HTTP cache. `begin` clears the storage, which is
 * accessible only within a page.
 */
async function empty(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()))
  await Promise.all([context.clearCookies(), context.unrouteAll(), context.setOffline(false)])
}

/** Gives a page the cookies and storage of a user who has just signed in, or none if `person` is undefined. */
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
  // Skips pages with an about: URL, which have no storage.
  await page.addInitScript(`
    if (window === top && location.protocol !== 'about:' && sessionStorage.getItem('begun') === null) {
      localStorage.clear()
      sessionStorage.setItem('begun', '')
      const session = ${JSON.stringify(session ?? null)}
      if (session !== null) localStorage.setItem('parley.session', session)
    }
  `)
}

/**
 * Contrast depends only on the color scheme, and all other findings only on the layout. These appearances therefore
 * cover each color scheme and each layout once.
 */
export const APPEARANCES = [
  { name: 'a phone in dark mode', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a desktop in light mode', viewport: DESKTOP, colorScheme: 'light' },
] as const
export type Appearance = (typeof APPEARANCES)[number]

/** The forms that `expectAccessible` has checked in this process, by appearance (axe.ts). */
const checked = Object.fromEntries(APPEARANCES.map(({ name }) => [name, new Set<number>()]))

/**
 * Expects no serious axe finding and no clipped content in all APPEARANCES. Checks only what no earlier screen had.
 * tests/console/screens.test.ts checks each screen as a whole.
 */
export async function expectAccessible(page: Page): Promise<void> {
  for (const appearance of APPEARANCES) await expectAccessibleOn(page, appearance, checked[appearance.name])
}

/**
 * A function for the page that waits until the theme is applied and no color is changing. Playwright's
 * waitForFunction is forbidden by the page's Content-Security-Policy.
 */
const SETTLED = `async (theme, limitMs) => {
  const deadline = performance.now() + limitMs
  const isSettled = () =>
    document.documentElement.dataset.theme === theme
    && document.getAnimations().every(({ playState }) => playState !== 'running')
  while (!isSettled() && performance.now() < deadline) await new Promise(requestAnimationFrame)
  return isSettled()
}`

/** Checks one appearance as expectAccessible does. Without `known`, checks the whole page. */
export async function expectAccessibleOn(
  page: Page,
  { name, viewport, colorScheme }: Appearance,
  known?: Set<number>,
): Promise<void> {
  await Promise.all([
    page.setViewportSize(viewport),
    page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }),
  ])
  const isSettled = await page.evaluate(`(${SETTLED})('${colorScheme}', ${THEME_MS_MAX})`)
  expect(isSettled, `the page follows to ${colorScheme}`).toBe(true)
  const at = `${new URL(page.url()).pathname} on ${name}`
  expect({ [at]: await seriousFindings(page, known) }).toEqual({ [at]: [] })
  expect({ [at]: await overflowing(page) }).toEqual({ [at]: [] })
}

/** Lists the text beyond the right edge of the page or of its main part, except in areas that scroll by design. */
const OVERFLOWING = `(() => {
  const parts = [document.documentElement, ...document.querySelectorAll('main')]
  const isWide = (part) => part.scrollWidth > part.clientWidth
  const scrolls = (element) =>
    element.tagName !== 'MAIN' && /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX)
  const isFree = (element, part) => {
    for (let at = element.parentElement; at && at !== part; at = at.parentElement) if (scrolls(at)) return false
    return true
  }
  return parts.filter(isWide).flatMap((part) => {
    const edge = part.getBoundingClientRect().left + part.clientWidth
    const beyond = [...part.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > edge + 1 && isFree(element, part))
    return [part.tagName, ...beyond.map(({ tagName, textContent }) => tagName + ': ' + textContent.slice(0, 80))]
  })
})()`

/** Returns the text that does not fit the width of the page. */
export const overflowing = (page: Page): Promise<string[]> => page.evaluate(OVERFLOWING)

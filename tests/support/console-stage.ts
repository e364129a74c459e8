import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './axe.ts'
import { startBrowser } from './browser.ts'
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
  /** A page of the console, as somebody who is signed in sees it, or as a stranger. */
  open(path: string, person?: Person, options?: BrowserContextOptions): Promise<Page>
  /** What no page may ever say: errors of scripts, and what its policy has refused. */
  problems: string[]
  stop(): Promise<void>
}

/**
 * The console over a server, in a browser. `environment`: what the server runs with beside what test servers do, and
 * beside the embedded database.
 */
export async function startConsoleStage(environment: Record<string, string> = {}): Promise<ConsoleStage> {
  // It does nothing where the console is built already.
  await promisify(execFile)(process.execPath, [BUILD_PROGRAM])
  const port = String(await findFreePort())
  const [server, browser] = await Promise.all([
    startTestServer({
      DATABASE_URL: '',
      PORT: port,
      BASE_URL: `http://127.0.0.1:${port}`,
      ...environment,
    }),
    startBrowser(),
  ])
  const problems: string[] = []
  return {
    server,
    browser,
    problems,
    async open(path, person, options = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, baseURL: server.url, ...options })
      if (person) await keepSignedIn(context, server.url, person)
      const page = await context.newPage()
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
      await browser.close()
      await server.stop()
    },
  }
}

/** What the console and the browser keep when somebody has signed in. */
async function keepSignedIn(
  context: BrowserContext,
  server: string,
  { token, refreshToken }: Person,
): Promise<void> {
  const { hostname: domain, port } = new URL(server)
  await context.addCookies([
    {
      name: `parley_refresh_${port}`,
      value: refreshToken,
      domain,
      path: '/api/auth',
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
  const session = { accessToken: token, expiresAt: Date.now() + TOKEN_MS }
  // An empty page has no storage.
  await context.addInitScript(`
    if (location.protocol !== 'about:' && localStorage.getItem('parley.session') === null)
      localStorage.setItem('parley.session', ${JSON.stringify(JSON.stringify(session))})
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

/** The same in one of them. */
export async function expectAccessibleOn(
  page: Page,
  { name, viewport, colorScheme }: Appearance,
): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  // The page follows when it is told, which takes its time on a busy machine.
  const theme = () => page.evaluate("document.documentElement.dataset['theme']")
  await expect.poll(theme, { timeout: THEME_MS_MAX }).toBe(colorScheme)
  // Colours change by a transition.
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => Promise.all(document.getAnimations().map((one) => one.finished)).then(resolve, resolve)))',
  )
  const at = `${new URL(page.url()).pathname} on ${name}`
  expect({ [at]: await seriousFindings(page) }).toEqual({ [at]: [] })
  const wide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect({ at, wide }).toEqual({ at, wide: 0 })
}

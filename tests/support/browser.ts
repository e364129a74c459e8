import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { describe } from 'vitest'
import { CHROMIUM, needs } from './programs.ts'

/** Timeout of a browser test. Browsers are slow while other tests run. */
const TEST_MS_MAX = 180_000
const WAIT_MS_MAX = 60_000
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Describes tests that need a browser. */
export const describeInBrowser = (name: string, tests: () => void): void =>
  void describe(name, { ...needs('Chromium'), timeout: TEST_MS_MAX }, tests)

let running: Promise<Browser> | undefined

/**
 * Returns the browser that all tests of this process share. The first call starts the browser. The browser ends with
 * the process or with endBrowser.
 */
async function theBrowser(): Promise<Browser> {
  const present = await running
  if (present?.isConnected()) return present
  if (CHROMIUM === undefined) throw new Error('Chromium is missing: install chromium-headless-shell')
  running = chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  return running
}

/** Closes the browser of this process. A script must call this to exit; a test worker need not. */
export async function endBrowser(): Promise<void> {
  const ended = running
  running = undefined
  await (await ended)?.close()
}

export interface BorrowedBrowser {
  /** Headless Chromium, shared by all tests of this process. */
  browser: Browser
  /** Opens a context with separate cookies, storage and cache. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Closes the remaining open contexts. */
  giveBack(): Promise<void>
}

/** Returns the shared browser of this process. Starting a browser would take longer than most tests. */
export async function borrowBrowser(): Promise<BorrowedBrowser> {
  const browser = await theBrowser()
  const contexts: BrowserContext[] = []
  return {
    browser,
    async newContext(options) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(WAIT_MS_MAX)
      contexts.push(context)
      return context
    },
    async giveBack() {
      await Promise.all(contexts.map((context) => context.close()))
    },
  }
}

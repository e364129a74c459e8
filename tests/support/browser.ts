import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { describe } from 'vitest'

/** Where Debian puts it. */
const PROGRAM = '/usr/bin/chromium'
/** A browser takes its time where other tests are under way. */
const TEST_MS_MAX = 90_000
const isMissing = !existsSync(PROGRAM)
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Tests that need a browser. Without one they are skipped and say so; CI must have one. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  const isSkipped = isMissing && !process.env['CI']
  if (isSkipped) console.warn(`Skipped, as there is no ${PROGRAM}: ${name}`)
  describe.skipIf(isSkipped)(name, { timeout: TEST_MS_MAX }, tests)
}

/** Chromium without a window, with a profile of its own. */
export const startBrowser = (): Promise<Browser> => chromium.launch({ executablePath: PROGRAM, args: FLAGS })

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMeasuredConsole } from './measured-console.ts'
import { SLOWDOWN, slowDown } from './page-costs.ts'
import { quantile } from './times.ts'

/*
 * `node bench/console-load.ts`: measures the first visit to the console over loopback: time to the first paint, and to
 * the largest paint. For comparison, measures a page of one line, which shows what the browser itself takes.
 */

const OPENINGS = 9
const PATHS = ['/sign_in', '/', '/chats']

interface Paints {
  first: number
  largest: number
}

/** Milliseconds since the start of the navigation. */
const PAINTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const largest = list.getEntries().at(-1).startTime
    setTimeout(() => resolve({ first: performance.getEntriesByName('first-contentful-paint')[0].startTime, largest }), 100)
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})`

const line = createServer((_, response) =>
  response
    .setHeader('Content-Type', 'text/html')
    .end('<!doctype html><title>A page</title><p>One line of text'),
)
await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
const lineUrl = `http://127.0.0.1:${(line.address() as AddressInfo).port}/`

const { stage, stop } = await startMeasuredConsole()
try {
  const person = await stage.server.signUp()
  for (const path of [lineUrl, ...PATHS])
    for (const isSlow of [false, true]) {
      const paints: Paints[] = []
      for (let round = 0; round < OPENINGS; round++) {
        const page = await stage.open('about:blank', path === '/' || path === '/chats' ? person : undefined)
        if (isSlow) await slowDown(page)
        await page.goto(path, { waitUntil: 'networkidle' })
        paints.push((await page.evaluate(PAINTS)) as Paints)
        await page.context().close()
      }
      const middle = (of: keyof Paints): string =>
        quantile(
          paints.map((paint) => paint[of]),
          0.5,
        ).toFixed(0)
      const worst = Math.max(...paints.map(({ first }) => first)).toFixed(0)
      console.log(
        `${path === lineUrl ? 'a page of one line' : path}${isSlow ? ` at ${SLOWDOWN}x` : ''}: first paint ${middle('first')} ms (max ${worst}), largest paint ${middle('largest')} ms`,
      )
    }
  for (const problem of stage.problems) console.log(`page error: ${problem}`)
} finally {
  line.close()
  await stop()
}

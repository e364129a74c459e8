import type { Browser, CDPSession, Page } from 'playwright-core'

/** The browser's cost of a page: the time of its main thread, which other load on the machine does not affect. */

/** CPU throttling factor of the page. */
export const SLOWDOWN = 4

const METRICS = {
  scripting: 'ScriptDuration',
  layout: 'LayoutDuration',
  styles: 'RecalcStyleDuration',
  everything: 'TaskDuration',
} as const

/** Seconds since the page was opened. */
export type Costs = Record<keyof typeof METRICS, number>

/** Throttles the CPU of a page. Returns the session for reading its costs. */
export async function slowDown(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  return devtools
}

export async function readCosts(devtools: CDPSession): Promise<Costs> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const read = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return {
    scripting: read(METRICS.scripting),
    layout: read(METRICS.layout),
    styles: read(METRICS.styles),
    everything: read(METRICS.everything),
  }
}

/** Formats costs per token. */
export function describeCosts(before: Costs, after: Costs, tokens: number): string {
  const perToken = (of: keyof Costs): string => (((after[of] - before[of]) * 1_000) / tokens).toFixed(2)
  return (
    `per token ${perToken('scripting')} ms scripting, ${perToken('layout')} ms layout, ` +
    `${perToken('styles')} ms styles, ${perToken('everything')} ms total`
  )
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline']
const BEGIN = 'work begins'
const END = 'work has ended'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** In microseconds. */
  ts: number
  /** CPU time of the thread in microseconds. */
  tdur?: number
  args?: { name?: string; data?: { message?: string } }
}

/** Returns the page's longest task during some work, in milliseconds, without the overhead of tracing. */
export async function longestTaskDuring(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: CATEGORIES })
  await page.evaluate((text) => console.timeStamp(text), BEGIN)
  await work()
  await page.evaluate((text) => console.timeStamp(text), END)
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  const stampOf = (text: string) => traceEvents.find(({ args }) => args?.data?.message === text)
  const [begin, end] = [stampOf(BEGIN), stampOf(END)]
  if (!begin || !end) throw new Error('The trace has no start or end marks')
  const tasks = traceEvents.filter(
    ({ name, tid, pid, ts }) =>
      name === 'RunTask' && pid === begin.pid && tid === begin.tid && ts > begin.ts && ts < end.ts,
  )
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

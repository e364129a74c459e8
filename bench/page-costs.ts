import type { Browser, CDPSession, Page } from 'playwright-core'

/** What a page costs the browser: of its own thread, whatever else the machine does meanwhile. */

/** As many times slower than this machine is the processor that a page is given. */
export const SLOWDOWN = 4

const METRICS = {
  scripting: 'ScriptDuration',
  layout: 'LayoutDuration',
  styles: 'RecalcStyleDuration',
  everything: 'TaskDuration',
} as const

/** Seconds since the page began. */
export type Costs = Record<keyof typeof METRICS, number>

/** Slows a page down. Answers what its costs are read by. */
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

/** As in `1.20 ms of scripting a token, 0.30 of layout, …`. */
export function describeCosts(before: Costs, after: Costs, tokens: number): string {
  const perToken = (of: keyof Costs): string => (((after[of] - before[of]) * 1_000) / tokens).toFixed(2)
  return (
    `${perToken('scripting')} ms of scripting a token, ${perToken('layout')} of layout, ` +
    `${perToken('styles')} of styles, ${perToken('everything')} of everything`
  )
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline']
const BEGIN = 'work begins'
const END = 'work has ended'

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds. */
  ts: number
  /** Microseconds of the thread. */
  tdur?: number
  args?: { name?: string; data?: { message?: string } }
}

/** The longest task of a page while something is done, without what measuring takes of it: milliseconds. */
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
  if (!begin || !end) throw new Error('The trace does not tell when the work was done')
  const tasks = traceEvents.filter(
    ({ name, tid, pid, ts }) =>
      name === 'RunTask' && pid === begin.pid && tid === begin.tid && ts > begin.ts && ts < end.ts,
  )
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

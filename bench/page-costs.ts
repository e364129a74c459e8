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

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of the thread. */
  tdur?: number
  args?: { name?: string }
}

/** The longest task of a page while something is done: milliseconds. */
export async function longestTaskDuring(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await work()
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  const main = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const isOfPage = ({ pid, tid }: TraceEvent): boolean =>
    main.some((one) => one.pid === pid && one.tid === tid)
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && isOfPage(event))
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

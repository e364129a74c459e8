import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { type CDPSession, chromium } from 'playwright-core'
import { build } from 'rolldown'
import { longCode, longReply, longTable, mixed } from './markdown-texts.ts'

/*
 * What it costs the browser to show a reply of the console while it is written: a processor four times slower than this
 * one, 100 tokens a second, shown every 50 ms. All times but the frames are of the page's own thread.
 * `node bench/console-markdown.ts`.
 */

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }
const CHROMIUM = '/usr/bin/chromium'
const SLOWDOWN = 4
const TOKENS_PER_SECOND = 100
const FRAME_MS = 1_000 / 60
/** Of texts too long to wait for, so much is there from the beginning. */
const SHOWN_SECONDS = 20
/** So long the page has for that. */
const BEGINNING_MS = 25_000

/** What is measured: the tokens of a text, and how many of them are there before it begins. */
const CASES: [name: string, text: string][] = [
  ['mixed', mixed(SHOWN_SECONDS * TOKENS_PER_SECOND)],
  ['code of 3,000 lines', longCode(3_000)],
  ['table of 500 rows', longTable(500)],
  ['reply of 20,000 tokens', longReply(20_000)],
]

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Reply</title>
<link rel="icon" href="/main.js"><link rel="stylesheet" href="/look.css"><div id="root"></div><script type="module" src="/main.js"></script></html>`

/** Of the console's look, what layout depends on. */
const LOOK =
  '.block { display: block } .overflow-x-auto { overflow-x: auto } .overflow-hidden { overflow: hidden }'

const MAIN = `
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { Markdown } from './console/src/markdown/markdown.tsx'
import { useBufferedText } from './console/src/streams/use-buffered-text.ts'
function Reply({ isOver }) {
  const { text, buffer } = useBufferedText()
  useEffect(() => { window.buffer = buffer }, [buffer])
  return <Markdown text={text} streaming={!isOver} />
}
const root = createRoot(document.getElementById('root'))
root.render(<Reply isOver={false} />)
window.endReply = () => root.render(<Reply isOver={true} />)
`

async function bundle(): Promise<Map<string, string>> {
  const { output } = await build({
    input: 'virtual:main.tsx',
    write: false,
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: false,
    plugins: [
      {
        name: 'main',
        resolveId: (id) => (id === 'virtual:main.tsx' ? `${process.cwd()}/virtual-main.tsx` : null),
        load: (id) => (id.endsWith('virtual-main.tsx') ? MAIN : null),
      },
    ],
    transform: {
      target: 'es2022',
      jsx: { runtime: 'automatic' },
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    output: { format: 'esm', minify: true, entryFileNames: 'main.js', chunkFileNames: '[name].js' },
  })
  return new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code] as const] : [])),
  )
}

async function measure(name: string, text: string): Promise<string> {
  const tab = await browser.newPage()
  const complaints: string[] = []
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(error.message))
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await tab.waitForFunction('window.buffer')
  const devtools = await tab.context().newCDPSession(tab)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  const tokens = text.match(/\s*\S{1,6}/g) ?? []
  const shown = Math.min(tokens.length, SHOWN_SECONDS * TOKENS_PER_SECOND)
  await tab.evaluate(WATCH)
  await tab.evaluate(
    (first) => (globalThis as unknown as Page).buffer.add(first),
    tokens.slice(0, -shown).join(''),
  )
  await tab.waitForTimeout(tokens.length > shown ? BEGINNING_MS : 500)
  await tab.evaluate('gaps.length = 0')
  await browser.startTracing(tab, { categories: ['disabled-by-default-devtools.timeline'] })
  const before = await costs(devtools)
  await tab.evaluate(FEED, { tokens: tokens.slice(-shown), gapMs: 1_000 / TOKENS_PER_SECOND })
  await tab.waitForTimeout(100)
  const after = await costs(devtools)
  const longest = longestTask(await browser.stopTracing())
  const gaps = (await tab.evaluate('gaps')) as number[]
  await browser.startTracing(tab, { categories: ['disabled-by-default-devtools.timeline'] })
  await tab.evaluate('endReply()')
  await tab.waitForTimeout(3_000)
  const end = longestTask(await browser.stopTracing())
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0)
  await tab.close()
  const perToken = (of: keyof Costs): string => (((after[of] - before[of]) * 1_000) / shown).toFixed(2)
  return [
    `${name} (${tokens.length} tokens, ${shown} of them one by one):`,
    `${perToken('ScriptDuration')} ms of scripting a token,`,
    `${perToken('LayoutDuration')} of layout, ${perToken('RecalcStyleDuration')} of styles, ${perToken('TaskDuration')} of everything,`,
    `longest task ${longest.toFixed(0)} ms, at the end ${end.toFixed(0)} ms,`,
    `${dropped} of ${gaps.length + dropped} frames dropped`,
    ...complaints.slice(0, 3).map((complaint) => `\n  the page says: ${complaint}`),
  ].join(' ')
}

interface Page {
  buffer: { add(text: string): void }
}

/** The time between frames. */
const WATCH = `
  globalThis.gaps = []
  let last = performance.now()
  const frame = (now) => {
    gaps.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)`

/** The longest task of the page in a trace: milliseconds of its own thread, whatever else the machine did meanwhile. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const main = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const isOfPage = ({ pid, tid }: TraceEvent): boolean =>
    main.some((one) => one.pid === pid && one.tid === tid)
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && isOfPage(event))
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Microseconds of the thread. */
  tdur?: number
  args?: { name?: string }
}

/** Adds the tokens when they are due, as they come from a server. */
const FEED = async ({ tokens, gapMs }: { tokens: string[]; gapMs: number }): Promise<void> => {
  const begin = performance.now()
  for (let next = 0; next < tokens.length; ) {
    const due = Math.min(tokens.length, Math.floor((performance.now() - begin) / gapMs))
    for (; next < due; next += 1) (globalThis as unknown as Page).buffer.add(tokens[next] ?? '')
    await new Promise((resolve) => setTimeout(resolve, gapMs))
  }
}

type Costs = Record<'ScriptDuration' | 'LayoutDuration' | 'RecalcStyleDuration' | 'TaskDuration', number>

async function costs(devtools: CDPSession): Promise<Costs> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return {
    ScriptDuration: of('ScriptDuration'),
    LayoutDuration: of('LayoutDuration'),
    RecalcStyleDuration: of('RecalcStyleDuration'),
    TaskDuration: of('TaskDuration'),
  }
}

const files = await bundle()
files.set('/look.css', LOOK)
for (const [name, code] of files) console.log(`${name}: ${Math.round(code.length / 1_000)} kB`)

const server = createServer(({ url = '/' }, response) => {
  response.setHeader('content-security-policy', "default-src 'self'")
  response.setHeader('content-type', TYPES[extname(url)] ?? 'text/html')
  response.statusCode = url === '/' || files.has(url) ? 200 : 404
  response.end(url === '/' ? page : (files.get(url) ?? ''))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const [name, text] of CASES) console.log(await measure(name, text))
} finally {
  await browser.close()
  server.close()
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'rolldown'
import { longCode, longReply, longTable, mixed } from './markdown-texts.ts'
import { describeCosts, longestTaskDuring, readCosts, slowDown } from './page-costs.ts'

/*
 * `node bench/console-markdown.ts`: measures the browser's cost of rendering a reply while it streams: CPU throttled
 * to a quarter, 100 tokens per second, rendered every 50 ms. All times except frames are those of the page's main
 * thread.
 */

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }
const CHROMIUM = '/usr/bin/chromium'
const TOKENS_PER_SECOND = 100
const FRAME_MS = 1_000 / 60
/**
 * Duration of the streaming. If a text is longer, only its last part is streamed, and the part before it is rendered
 * first.
 */
const SHOWN_SECONDS = 20
/** Time for the page to render the part before the streamed one. */
const BEGINNING_MS = 25_000

/** The texts to measure. */
const CASES: [name: string, text: string][] = [
  ['mixed', mixed(SHOWN_SECONDS * TOKENS_PER_SECOND)],
  ['code of 3,000 lines', longCode(3_000)],
  ['table of 500 rows', longTable(500)],
  ['reply of 20,000 tokens', longReply(20_000)],
]

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Reply</title>
<link rel="icon" href="/main.js"><link rel="stylesheet" href="/look.css"><div id="root"></div><script type="module" src="/main.js"></script></html>`

/** The console's styles that affect layout. */
const LOOK =
  '.block { display: block } .overflow-x-auto { overflow-x: auto } .overflow-hidden { overflow: hidden }'

const MAIN = `
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { Markdown } from './console/src/markdown/markdown.tsx'
import { loadText } from './console/src/messages/index.ts'
import { useBufferedText } from './console/src/ui/use-buffered-text.ts'
function Reply({ isOver }) {
  const { text, buffer } = useBufferedText()
  useEffect(() => { window.buffer = buffer }, [buffer])
  return <Markdown text={text} streaming={!isOver} />
}
await loadText('rest')
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
  const devtools = await slowDown(tab)
  const tokens = text.match(/\s*\S{1,6}/g) ?? []
  const shown = Math.min(tokens.length, SHOWN_SECONDS * TOKENS_PER_SECOND)
  await tab.evaluate(WATCH)
  await tab.evaluate(
    (first) => (globalThis as unknown as Page).buffer.add(first),
    tokens.slice(0, -shown).join(''),
  )
  await tab.waitForTimeout(tokens.length > shown ? BEGINNING_MS : 500)
  await tab.evaluate('gaps.length = 0')
  let costs = ''
  const longest = await longestTaskDuring(browser, tab, async () => {
    const before = await readCosts(devtools)
    await tab.evaluate(FEED, { tokens: tokens.slice(-shown), gapMs: 1_000 / TOKENS_PER_SECOND })
    await tab.waitForTimeout(100)
    costs = describeCosts(before, await readCosts(devtools), shown)
  })
  const gaps = (await tab.evaluate('gaps')) as number[]
  const end = await longestTaskDuring(browser, tab, async () => {
    await tab.evaluate('endReply()')
    await tab.waitForTimeout(3_000)
  })
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0)
  await tab.close()
  return [
    `${name} (${tokens.length} tokens, ${shown} of them streamed): ${costs};`,
    `longest task ${longest.toFixed(0)} ms, at the end ${end.toFixed(0)} ms,`,
    `${dropped} of ${gaps.length + dropped} frames dropped`,
    ...complaints.slice(0, 3).map((complaint) => `\n  page error: ${complaint}`),
  ].join(' ')
}

interface Page {
  buffer: { add(text: string): void }
}

/** Records the time between frames. */
const WATCH = `
  globalThis.gaps = []
  let last = performance.now()
  const frame = (now) => {
    gaps.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)`

/** Adds tokens at the pace of a server's stream. */
const FEED = async ({ tokens, gapMs }: { tokens: string[]; gapMs: number }): Promise<void> => {
  const begin = performance.now()
  for (let next = 0; next < tokens.length; ) {
    const due = Math.min(tokens.length, Math.floor((performance.now() - begin) / gapMs))
    for (; next < due; next += 1) (globalThis as unknown as Page).buffer.add(tokens[next] ?? '')
    await new Promise((resolve) => setTimeout(resolve, gapMs))
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

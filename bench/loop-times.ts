import { INDEXED_CHARACTERS_MAX, toVector } from '../server/parts/chat/words.ts'
import { readRobots } from '../server/platform/crawler/robots.ts'
import { readSitemaps } from '../server/platform/crawler/sitemaps.ts'
import type { Visitor } from '../server/platform/crawler/visit.ts'
import { parseJsonBody } from '../server/platform/http/json-body.ts'
import { loadTokenCounter } from '../server/platform/models/count-tokens.ts'
import { streamDemo } from '../server/platform/models/demo.ts'
import { countTokens } from '../server/platform/models/index.ts'
import { readPassages, withoutAttachments } from '../server/platform/models/prompt-elements.ts'
import { dropNearDuplicates } from '../server/platform/retrieval/near-duplicates.ts'
import { SegmentBuilder } from '../server/platform/retrieval/postings.ts'
import { listWords } from '../server/platform/retrieval/words.ts'
import { maskOf } from '../server/platform/secrets/mask-secrets.ts'

/*
 * Measures how long functions that read texts keep the event loop, each with the largest input that reaches it:
 *
 *   node bench/loop-times.ts
 *
 * Prints the processor time of a call, and the longest time between two turns of the loop, in milliseconds. Each input
 * is new, because some functions remember what they have read.
 */

const ROUNDS = 5
const FOREVER = new AbortController().signal

const visitorOf = (content: string): Visitor => ({
  get: async (url) => ({
    url,
    status: 200,
    headers: {},
    contentType: 'text/plain',
    etag: null,
    lastModified: null,
    body: Buffer.from(content),
  }),
})

let made = 0
/** Random words, none of which is in another text. */
function words(characters: number): string {
  const parts: string[] = []
  for (let length = 0; length < characters; ) {
    made += 1
    const word = `w${(made * 2_654_435_761).toString(36)}`
    parts.push(word)
    length += word.length + 1
  }
  return parts.join(' ').slice(0, characters)
}
const repeated = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters)

const secrets = Array.from({ length: 50 }, (_, index) => `secret-value-${index}`)
const mask = maskOf(secrets)
const count = await loadTokenCounter()
const robotsOf = (text: string) => readRobots('http://site.example', visitorOf(text), FOREVER)
const star = await robotsOf(`User-agent: *\n${`Disallow: /${'*a'.repeat(400)}*b\n`.repeat(6)}`)

interface Row {
  name: string
  bound: string
  input(): string
  run(text: string): unknown
}

function chinese(characters: number): string {
  let text = ''
  for (; text.length < characters; made += 7_919) text += String.fromCharCode(0x4e00 + (made % 20_000))
  return text
}

const locations = (bytes: number, site = 'http://site.example'): string => {
  const parts: string[] = []
  for (let length = 0, n = 0; length < bytes; n++) {
    const part = `<loc>${site}/${n}</loc>`
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, bytes)
}

const listed = new Map<string, string[]>()
function postings(text: string): void {
  const segment = new SegmentBuilder()
  const all = listed.get(text) ?? []
  for (let from = 0, number = 0; from < all.length; from += 300)
    segment.add(number++, all.slice(from, from + 300), { stem: (word) => word, variant: () => null })
  segment.entries()
}

const duplicates = (text: string): unknown =>
  dropNearDuplicates(
    Array.from({ length: 100 }, (_, at) => text.slice(at * 2_000, (at + 1) * 2_000)),
    (one) => one,
  )

async function demo(text: string): Promise<void> {
  const end = new AbortController()
  const sink = { text: () => end.abort(), reasoning: () => end.abort(), toolCall: () => end.abort() }
  await streamDemo({ messages: [{ role: 'user', content: text }] } as never, sink as never, end.signal).catch(
    () => {},
  )
}

const ROWS: Row[] = [
  {
    name: 'countTokens, new words',
    bound: '400,000 characters',
    input: () => words(400_000),
    run: countTokens,
  },
  {
    name: 'countTokens, Chinese',
    bound: '400,000 characters',
    input: () => chinese(400_000),
    run: countTokens,
  },
  { name: 'token counter, one piece', bound: '20,000 characters', input: () => words(20_000), run: count },
  {
    name: 'token counter, one Chinese piece',
    bound: '20,000 characters',
    input: () => chinese(20_000),
    run: count,
  },
  {
    name: 'mask of a tool output',
    bound: '1,000,000 characters',
    input: () => words(1_000_000),
    run: mask.text,
  },
  {
    name: 'mask, text of secrets',
    bound: '1,000,000 characters',
    input: () => repeated('secret-value-1', 1e6),
    run: mask.text,
  },
  { name: 'mask of printed text', bound: '65,536 characters', input: () => words(65_536), run: mask.text },
  {
    name: 'robots.txt',
    bound: '512,000 bytes',
    input: () => repeated(`Disallow: /${words(20)}\n`, 512_000),
    run: robotsOf,
  },
  {
    name: 'robots.txt, one URL',
    bound: '5,000,000 steps',
    input: () => `/${'a'.repeat(950)}`,
    run: (text) => star.isAllowed(`http://site.example${text}`),
  },
  {
    name: 'sitemap',
    bound: '5,000,000 bytes',
    input: () => locations(5_000_000),
    run: (text) => readSitemaps(['http://site.example/map'], visitorOf(text), 10_000, FOREVER),
  },
  {
    name: 'sitemap of other sites',
    bound: '5,000,000 bytes',
    input: () => locations(5_000_000, 'http://other.example'),
    run: (text) => readSitemaps(['http://site.example/map'], visitorOf(text), 10_000, FOREVER),
  },
  { name: 'demo model, beginning', bound: '1,000,000 characters', input: () => words(1_000_000), run: demo },
  {
    name: 'demo model, tool call',
    bound: '1,000,000 characters',
    input: () => repeated('TOOL:a={"a":[', 1_000_000),
    run: demo,
  },
  {
    name: 'reading passages',
    bound: '1,000,000 characters',
    input: () => repeated('<passage number="1" document="a">\n', 1e6),
    run: readPassages,
  },
  {
    name: 'removing attachments',
    bound: '1,000,000 characters',
    input: () => repeated('<attachment name="a">\n', 1e6),
    run: withoutAttachments,
  },
  {
    name: 'words of a message for its index',
    bound: `${INDEXED_CHARACTERS_MAX} characters`,
    input: () => words(INDEXED_CHARACTERS_MAX),
    run: (text) => toVector('abcdef', text),
  },
  {
    name: 'postings of a group of documents',
    bound: '2,000,000 bytes',
    input: () => words(2_000_000),
    run: postings,
  },
  {
    name: 'near-duplicates of 100 passages',
    bound: '200,000 characters',
    input: () => words(200_000),
    run: duplicates,
  },
  {
    name: 'JSON body',
    bound: '20,000,000 bytes',
    input: () => JSON.stringify({ content: words(19_900_000) }),
    run: (text) => parseJsonBody(Buffer.from(text), { valuesMax: 100_000 }),
  },
]

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

console.log('| Function | Bound | ms of a call | longest turn |\n|---|---|--:|--:|')
for (const { name, bound, input, run } of ROWS) {
  const calls: number[] = []
  const turns: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const text = input()
    if (name.startsWith('postings')) listed.set(text, listWords(text))
    let turnBegan = process.threadCpuUsage()
    let longest = 0
    let isRunning = true
    const endTurn = (): void => {
      const { user, system } = process.threadCpuUsage(turnBegan)
      longest = Math.max(longest, (user + system) / 1_000)
      turnBegan = process.threadCpuUsage()
      if (isRunning) setImmediate(endTurn)
    }
    setImmediate(endTurn)
    await new Promise((resolve) => setImmediate(resolve))
    const before = process.threadCpuUsage()
    turnBegan = before
    await run(text)
    const { user, system } = process.threadCpuUsage(before)
    isRunning = false
    endTurn()
    calls.push((user + system) / 1_000)
    turns.push(longest)
    listed.clear()
  }
  console.log(`| ${name} | ${bound} | ${median(calls).toFixed(1)} | ${median(turns).toFixed(1)} |`)
}

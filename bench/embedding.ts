import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { splitText } from '../server/platform/documents/split-text.ts'
import { embedLocally } from '../server/platform/models/local-embedding.ts'
import { createBm25, ndcgAt10 } from '../tests/support/bm25.ts'
import { readCollection } from '../tests/support/retrieval.ts'

/*
 * `node bench/embedding.ts`: measures the cost and the quality of the built-in embedding. Cost: splitting a text of
 * 2,000,000 characters, embedding its chunks of 400 tokens, and the delay of the event loop during both. Quality:
 * nDCG@10 of the built-in embedding and of BM25, alone and combined.
 */

const CHARACTERS = 2_000_000
const ROUNDS = 3

const signal = new AbortController().signal
const { passages, questions } = readCollection()
const words = passages.map(({ text }) => text).join('\n\n')
const book = readFileSync(join(import.meta.dirname, '../tests/fixtures/book.txt'), 'utf8')
await splitText(words, { kind: 'markdown' })

for (const [name, text] of Object.entries({ documentation: words, 'a made-up book': book })) {
  const long = `${text}\n\n`.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS)
  for (let round = 0; round < ROUNDS; round++) {
    const splitting = performance.now()
    const chunks = await timed(`${name}: split`, () => splitText(long, { kind: 'markdown' }))
    const megabytes = Buffer.byteLength(long) / 1e6
    console.log(`${((megabytes / (performance.now() - splitting)) * 1000).toFixed(1)} MB/s`)
    const contents = chunks.map(({ content }) => content)
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0)
    const begin = performance.now()
    await timed(`${name}: embed`, () => embedLocally(contents, signal))
    const seconds = (performance.now() - begin) / 1000
    console.log(
      `${chunks.length} chunks of ${(tokens / chunks.length).toFixed(0)} tokens: ${(chunks.length / seconds).toFixed(0)} per second`,
    )
  }
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begin = performance.now()
  const cpu = process.cpuUsage()
  const result = await work()
  const milliseconds = (performance.now() - begin).toFixed(0)
  const processor = (process.cpuUsage(cpu).user / 1000).toFixed(0)
  delay.disable()
  const at = (value: number): string => (value / 1e6).toFixed(1)
  console.log(
    `${what}: ${milliseconds} ms (${processor} ms CPU), event loop delay p99 ${at(delay.percentile(99))} ms, max ${at(delay.max)} ms`,
  )
  return result
}

const texts = passages.map(({ text }) => text)
const vectors = await embedLocally(texts, signal)
const asked = await embedLocally(
  questions.map(({ question }) => question),
  signal,
)
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
const bm25 = createBm25(texts)
const byWords = questions.map(({ question }) => bm25(question))
const byVectors = asked.map((query) => vectors.map((vector) => cosine(query, vector)))
const share = (scores: number[]): number[] => scores.map((score) => score / (Math.max(...scores) || 1))
const together = (weight: number): number[][] =>
  byWords.map((scores, at) => {
    const others = share(byVectors[at] ?? [])
    return share(scores).map((score, index) => score * (1 - weight) + (others[index] ?? 0) * weight)
  })
const ranks = (scores: number[]): number[] => {
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const found: number[] = []
  order.forEach((index, rank) => {
    found[index] = 1 / (60 + rank + 1)
  })
  return found
}
const fused = byWords.map((scores, at) => {
  const others = ranks(byVectors[at] ?? [])
  return ranks(scores).map((score, index) => score + (others[index] ?? 0))
})
const tell = (name: string, all: number[][]): void => {
  const half = (odd: number): number => {
    const picked = questions
      .map(({ places }, at) => ndcgAt10(all[at] ?? [], places))
      .filter((_, at) => at % 2 === odd)
    return picked.reduce((sum, value) => sum + value, 0) / picked.length
  }
  console.log(
    `nDCG@10 ${name}: ${half(0).toFixed(3)} tuned, ${half(1).toFixed(3)} held out, ${((half(0) + half(1)) / 2).toFixed(3)}`,
  )
}
tell('built-in embedding', byVectors)
tell('BM25', byWords)
tell('both, reciprocal rank fusion', fused)
for (const weight of [0.1, 0.2, 0.3, 0.4, 0.5]) tell(`both, embedding weight ${weight}`, together(weight))

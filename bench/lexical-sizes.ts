import { type QueryTerm, scoreChunks } from '../server/platform/retrieval/bm25.ts'
import { SegmentBuilder } from '../server/platform/retrieval/postings.ts'

/*
 * Measures the CPU time of the lexical stage for one knowledge base, without reading the postings from PostgreSQL:
 *
 *   node bench/lexical-sizes.ts
 *
 * The query has five words, which occur in 20%, 5%, 2%, 1% and 0.5% of the chunks.
 */

const SIZES = [10_000, 100_000, 1_000_000]
const SHARES = [0.2, 0.05, 0.02, 0.01, 0.005]
const AVERAGE_LENGTH = 60
const ROUNDS = 15
const BEST = 100

for (const chunks of SIZES) {
  const terms: QueryTerm[] = SHARES.map((share) => ({ postings: [postingsOf(chunks, share)], times: 1 }))
  const bytes = terms.reduce((sum, { postings }) => sum + (postings[0]?.length ?? 0), 0)
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = process.cpuUsage()
    scoreChunks(terms, { chunks, averageLength: AVERAGE_LENGTH }).best(BEST)
    return process.cpuUsage(begin).user / 1000
  }).sort((a, b) => a - b)
  console.log(
    `${chunks} chunks: ${(bytes / 1e6).toFixed(2)} MB of postings, ${times[ROUNDS >> 1]?.toFixed(1)} ms of CPU time (p50)`,
  )
}

/** Returns the postings of a word that occurs in a share of the chunks. */
function postingsOf(chunks: number, share: number): Uint8Array {
  const segment = new SegmentBuilder()
  for (let number = 1; number <= chunks; number++)
    if (Math.random() < share) segment.add(number, ['word'], { stem: (word) => word, variant: () => null })
  return segment.entries()[0]?.postings ?? new Uint8Array()
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DOCX, XLSX } from '../server/platform/documents/accepted-types.ts'
import { createDocuments } from '../server/platform/documents/documents.ts'
import { makeDocx, makePdfBomb, makeXlsx } from '../tests/support/hostile-files.ts'

/*
 * `node bench/documents.ts`: measures reading documents: a PDF of 43 pages by a warm reader, and the delay of the
 * server's event loop while 50 files, valid and hostile, are read.
 */

const RUNS = 50
const FILES = 50
const FIXTURES = join(import.meta.dirname, '../tests/fixtures')
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const documents = createDocuments()
const fixture = (name: string, contentType: string) => ({ path: join(FIXTURES, name), contentType })
const book = fixture('book.pdf', 'application/pdf')

await timeBook()
await holdUp()
await documents.close()
rmSync(folder, { recursive: true })

async function timeBook(): Promise<void> {
  const times: number[] = []
  for (let run = 0; run <= RUNS; run++) {
    const begin = performance.now()
    await documents.extractText(book)
    times.push(performance.now() - begin)
  }
  const [first = 0, ...warm] = times
  warm.sort((a, b) => a - b)
  console.log(`43 pages, first file of a process   ${first.toFixed(0)} ms`)
  console.log(`43 pages, warm, p50 and p99         ${at(warm, 0.5)} ms, ${at(warm, 0.99)} ms`)
}

async function holdUp(): Promise<void> {
  const files = [
    book,
    fixture('report.docx', DOCX),
    fixture('figures.xlsx', XLSX),
    fixture('book.txt', 'text/plain'),
    fixture('encrypted.pdf', 'application/pdf'),
    fixture('truncated.docx', DOCX),
    store('long.csv', Buffer.alloc(20_000_000, '12,some words,ä\n'), 'text/csv'),
    store('bomb.docx', makeDocx(Buffer.alloc(122 * 1024 * 1024, '<w:p/>')), DOCX),
    store('wide.xlsx', makeXlsx('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>'), XLSX),
    store('bomb.pdf', makePdfBomb(20), 'application/pdf'),
  ]
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const outcomes = new Map<string, number>()
  delay.enable()
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: FILES }, async (_, index) => {
      const file = files[index % files.length] as (typeof files)[number]
      const outcome = await documents.extractText(file).then(() => 'text', String)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }),
  )
  delay.disable()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(`${FILES} files, valid and hostile         ${seconds} s`)
  for (const [outcome, times] of outcomes) console.log(`  ${times} x ${outcome}`)
  const p99 = (delay.percentile(99) / 1e6).toFixed(1)
  console.log(`event loop delay, p99 and max        ${p99} ms, ${(delay.max / 1e6).toFixed(1)} ms`)
}

function store(name: string, content: Buffer, contentType: string) {
  const path = join(folder, name)
  writeFileSync(path, content)
  return { path, contentType }
}

function at(sorted: number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { encodeText } from '#tests/support/encode-text.ts'
import { cjkPdf, linesOf, makePdf } from '#tests/support/pdf-files.ts'
import { createRandom } from '#tests/support/random.ts'
import { createDocuments, DocumentError } from './documents.ts'

/*
 * Damages valid files at random. Each of them has text, or a true reason why not, and none stops the reader for the
 * next one.
 */

const folder = mkdtempSync(join(tmpdir(), 'parley-damaged-'))
const documents = createDocuments()
afterAll(async () => {
  await documents.close()
  rmSync(folder, { recursive: true })
})

let count = 0
function extract(bytes: Buffer, contentType: string) {
  const path = join(folder, String(count++))
  writeFileSync(path, bytes)
  return documents.extractText({ path, contentType }).then(
    ({ text }) => ({ text, reason: null }),
    (error: unknown) => {
      if (!(error instanceof DocumentError)) throw error
      return { text: null, reason: error.message }
    },
  )
}

const PDF = 'application/pdf'
const FIELD = '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Alice) /Rect [100 690 300 710] >>'
const PDFS: Record<string, Buffer> = {
  book: readFileSync('tests/fixtures/book.pdf'),
  report: readFileSync('tests/fixtures/report.pdf'),
  form: makePdf({
    content: linesOf('Page'),
    more: [FIELD],
    page: '/Annots [7 0 R]',
    catalog: '/AcroForm << /Fields [7 0 R] >>',
  }),
  chinese: cjkPdf({ map: 'GBK-EUC-H', encoding: 'gbk', ordering: 'GB1', text: '退款政策为三十天' }),
}
const TEXTS: Record<string, Buffer> = Object.fromEntries(
  ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'gbk', 'windows-1251', 'iso-2022-jp'].map((encoding) => [
    encoding,
    encodeText(
      encoding,
      `${encoding === 'gbk' ? '退款政策,三十天' : encoding.startsWith('iso') ? '返金は三十日' : 'Возврат за тридцать дней'}\n`.repeat(
        200,
      ),
    ),
  ]),
)

const RUNS = 12
/** Returns copies of a file: cut off at a random place, or with random bytes changed, removed or inserted. */
function damage(bytes: Buffer, seed: number): Buffer[] {
  const random = createRandom(seed)
  const place = (): number => Math.floor(random() * bytes.length)
  return Array.from({ length: RUNS }, (_, run) => {
    if (run % 4 === 0) return bytes.subarray(0, place() + 1)
    const copy = Buffer.from(bytes)
    const from = place()
    if (run % 4 === 1) return Buffer.concat([copy.subarray(0, from), copy.subarray(from + 100)])
    if (run % 4 === 2)
      return Buffer.concat([copy.subarray(0, from), Buffer.alloc(50, run), copy.subarray(from)])
    for (let change = 0; change < 20; change++) copy[place()] = Math.floor(random() * 256)
    return copy
  })
}

describe('a damaged file has text or a reason', () => {
  test.each(Object.entries(PDFS))('PDF: %s', async (_name, bytes) => {
    const outcomes = await Promise.all(damage(bytes, bytes.length).map((copy) => extract(copy, PDF)))
    for (const { text, reason } of outcomes)
      if (text === null) expect(reason).toMatch(/^This PDF (?:is damaged|is encrypted|contains no text)/)
    // pdf.js rebuilds the table of objects, so that most files keep text.
    expect(outcomes.filter(({ text }) => text !== null).length).toBeGreaterThanOrEqual(RUNS / 3)
    expect((await extract(PDFS['form'] as Buffer, PDF)).text).toBe('Page\nname: Alice')
  })

  test.each(Object.entries(TEXTS))('text: %s', async (_name, bytes) => {
    const outcomes = await Promise.all(damage(bytes, bytes.length).map((copy) => extract(copy, 'text/plain')))
    for (const { text } of outcomes) expect(text).toMatch(/\S/)
  })
})

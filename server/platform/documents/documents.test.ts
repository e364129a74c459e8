import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { documentXml, makeDeepPdf, makeDocx, makePdfBomb, makeXlsx } from '#tests/support/hostile-files.ts'
import { DOCX, XLSX } from './accepted-types.ts'
import { TEXT_CHARACTERS_MAX } from './bounded-text.ts'
import { createDocuments, DocumentError } from './documents.ts'

const FIXTURES = 'tests/fixtures'
const PDF = 'application/pdf'
const NOTE = { path: join(FIXTURES, 'note.txt'), contentType: 'text/plain' }

const folder = mkdtempSync(join(tmpdir(), 'parley-documents-'))
const documents = createDocuments()
afterAll(async () => {
  await documents.close()
  rmSync(folder, { recursive: true })
})

const fixture = (name: string, contentType: string) =>
  documents.extractText({ path: join(FIXTURES, name), contentType })

let count = 0
function store(content: string | Buffer): string {
  const path = join(folder, String(count++))
  writeFileSync(path, content)
  return path
}
const extract = (content: string | Buffer, contentType: string) =>
  documents.extractText({ path: store(content), contentType })

describe('extracted text', () => {
  test('of a 43-page PDF keeps 99 % of the words, page by page', async () => {
    const { text, isCut } = await fixture('book.pdf', PDF)
    const source = readFileSync(join(FIXTURES, 'book.txt'), 'utf8').split('\f')
    const pages = text.split('\f')
    expect(pages).toHaveLength(43)
    expect(isCut).toBe(false)
    let kept = 0
    let all = 0
    source.forEach((page, index) => {
      const found = pages[index]?.split(/\s+/) ?? []
      const places = new Map<string, number>()
      for (const word of found) places.set(word, (places.get(word) ?? 0) + 1)
      for (const word of page.trim().split(/\s+/)) {
        all++
        const left = places.get(word) ?? 0
        if (left > 0) kept++
        places.set(word, left - 1)
      }
    })
    expect(all).toBeGreaterThan(15_000)
    expect(kept / all).toBeGreaterThanOrEqual(0.99)
  })

  test('of a DOCX is Markdown', async () => {
    const { text } = await fixture('report.docx', DOCX)
    expect(text).toBe(
      [
        '# Annual report\n',
        'Revenue grew in every region: Zürich, São Paulo, 東京.\n',
        '## Figures\n',
        '| Region | Revenue |\n| --- | --- |\n| North | 1200 |\n| South | 3400 |\n',
        '## Next steps\n',
        '- Hire two engineers\n- Open an office\n',
        '1. Plan\n2. Build\n',
        'More at [our pages](https://example.com/report).\n\n',
      ].join('\n'),
    )
  })

  test('of an XLSX is one CSV per sheet', async () => {
    const { text } = await fixture('figures.xlsx', XLSX)
    expect(text).toContain('# Staff\nName,Born,Active,Note\nAda Lovelace,1815-12-10,')
    expect(text).toContain(',"says ""hello"", twice"\n')
    expect(text).toContain('\n\n# Sums\n1.5,,,2\n3.5,#DIV/0!\n')
  })

  test('of a PDF that only restricts printing is available', async () => {
    expect((await fixture('restricted.pdf', PDF)).text).toContain('Annual report')
  })

  test.each([
    ['note.txt', 'text/plain', 'Grüße aus Zürich\nsecond line\n'],
    ['note.md', 'text/markdown', '# Title\n\n- one\n- two\n'],
    ['table.csv', 'text/csv', 'name,amount\n"Lovelace, Ada",12\n'],
    ['utf16le.txt', 'text/plain', 'Grüße, 東京 😀\n'],
    ['utf16be.csv', 'text/csv', 'Grüße, 東京 😀\n'],
  ])('of %s is its content', async (name, contentType, text) => {
    expect(await fixture(name, contentType)).toEqual({ text, isCut: false })
  })

  test('is cut between characters', async () => {
    const { text, isCut } = await extract(`a${'😀'.repeat(TEXT_CHARACTERS_MAX / 2)}`, 'text/plain')
    expect(isCut).toBe(true)
    expect(text.length).toBe(TEXT_CHARACTERS_MAX - 1)
    expect(text.isWellFormed()).toBe(true)
  })

  test('of a table with two million lines is truncated', async () => {
    const { text, isCut } = await extract('12,abc,def\n'.repeat(2_000_000), 'text/csv')
    expect([text.length, isCut]).toEqual([TEXT_CHARACTERS_MAX, true])
  })

  test('has no NUL, invalid bytes or carriage returns', async () => {
    const { text } = await extract(Buffer.from([0x61, 0, 0x62, 0x0d, 0x63, 0xff]), 'text/plain')
    expect(text).toBe('ab\nc\ufffd')
  })
})

describe('files without extractable text', () => {
  const bomb = Buffer.alloc(122 * 1024 * 1024, '<w:p/>')
  test.each([
    ['encrypted.pdf', PDF, 'This PDF is encrypted. Remove its password and add it again.'],
    ['encrypted.docx', DOCX, 'This document is encrypted. Remove its password and add it again.'],
    ['truncated.pdf', PDF, 'This PDF is damaged and could not be read. Repair it and add it again.'],
    ['truncated.docx', DOCX, 'This document is damaged and could not be read. Repair it and add it again.'],
    ['archive.zip', DOCX, 'This document is damaged and could not be read. Repair it and add it again.'],
    ['figures.xlsx', DOCX, 'This document is damaged and could not be read. Repair it and add it again.'],
    ['report.docx', XLSX, 'This spreadsheet is damaged and could not be read. Repair it and add it again.'],
    ['picture-called.pdf', PDF, 'This PDF is damaged and could not be read. Repair it and add it again.'],
    [
      'picture.png',
      'image/png',
      'Files of this type are stored, but their text is not extracted. For text, use PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV or MD.',
    ],
  ])('%s as %s', async (name, contentType, message) => {
    await expect(fixture(name, contentType)).rejects.toEqual(new DocumentError(message))
    expect((await documents.extractText(NOTE)).text).toContain('Zürich')
  })

  test.each<[string, () => string | Buffer, string, RegExp]>([
    ['an empty file', () => '', 'text/plain', /contains no text/],
    ['an empty file declared as PDF', () => '', PDF, /damaged/],
    ['a ZIP bomb', () => makeDocx(bomb), DOCX, /unpacks to more than 100 MB/],
    ['a ZIP bomb with a forged directory', () => makeDocx(bomb, { claims: 10 }), DOCX, /damaged/],
    [
      'a file with too high a compression ratio',
      () => makeDocx(bomb.subarray(0, 60e6)),
      DOCX,
      /more than 250 times its compressed size/,
    ],
    [
      '10,001 parts',
      () =>
        makeDocx(
          '',
          {},
          Array.from({ length: 10_000 }, (_, index) => ({ name: `${index}`, content: '' })),
        ),
      DOCX,
      /more than 10,000 parts/,
    ],
    ['unfinished XML', () => makeDocx('<w:document'), DOCX, /damaged/],
    ['a page tree of 10,000 levels', () => makeDeepPdf(10_000), PDF, /./],
  ])('%s', async (_what, make, contentType, message) => {
    const failure = await extract(make(), contentType).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(DocumentError)
    expect((failure as Error).message).toMatch(message)
    expect((await documents.extractText(NOTE)).text).toContain('Zürich')
  })

  test('reading a document opens no file and no connection', async () => {
    let connections = 0
    const server = createServer((_request, response) => response.end('fetched')).on(
      'connection',
      () => connections++,
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    for (const target of ['file:///etc/passwd', `http://127.0.0.1:${port}/x`]) {
      const docType = `<!DOCTYPE w [<!ENTITY x SYSTEM "${target}"><!ENTITY % p SYSTEM "${target}"> %p;]>`
      const docx = await extract(makeDocx(documentXml('before &x; after', docType)), DOCX).catch(String)
      const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>before &x; after</t></is></c></row>'
      const xlsx = await extract(makeXlsx(row, docType), XLSX).catch(String)
      for (const outcome of [docx, xlsx]) expect(JSON.stringify(outcome)).not.toMatch(/root:|fetched/)
    }
    expect(connections).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  })

  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${'bcdefghij'
    .split('')
    .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
    .join('')}]>`

  test('entities are not expanded', async () => {
    const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>&j;</t></is></c></row>'
    const xlsx = await extract(makeXlsx(row, laughs), XLSX).catch(String)
    const docx = await extract(makeDocx(documentXml('&j;', laughs)), DOCX).catch(String)
    expect(JSON.stringify([xlsx, docx])).not.toContain('haha')
  })

  test('a missing file is not a document error', async () => {
    const failure = await documents
      .extractText({ path: join(folder, 'gone'), contentType: PDF })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(DocumentError)
  })
})

describe('many files', () => {
  test('are read concurrently, valid and damaged ones', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        index % 5 === 4
          ? fixture('truncated.docx', DOCX)
          : fixture(index % 2 === 0 ? 'report.pdf' : 'report.docx', index % 2 === 0 ? PDF : DOCX),
      ),
    )
    outcomes.forEach((outcome, index) => {
      if (index % 5 === 4)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(DocumentError)
      else expect(outcome.status === 'fulfilled' && outcome.value.text).toContain('Annual report')
    })
  })

  test('wait in a queue of 100, and further ones are refused with a retry', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 105 }, () => documents.extractText(NOTE)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toHaveLength(3)
    for (const reason of refused)
      expect([reason instanceof DocumentError, reason.canTryAgain]).toEqual([true, true])
  })

  test('that take too long are aborted, and the next file uses a new reader', async () => {
    const hasty = createDocuments(undefined, { clockMs: 5_000 })
    const bomb = { path: store(makePdfBomb(200)), contentType: PDF }
    await expect(hasty.extractText(bomb)).rejects.toThrow(
      'Reading this PDF took longer than 5 seconds. Split it into smaller files.',
    )
    // On a slow machine, starting a new reader may exceed the timeout.
    await expect.poll(() => hasty.extractText(NOTE).then(({ text }) => text, String)).toContain('Zürich')
    await hasty.close()
  })

  test('that wait too long for a reader are refused, and the next ones are read', async () => {
    const hasty = createDocuments(undefined, { waitMs: 100, clockMs: 3_000 })
    const bomb = { path: store(makePdfBomb(200)), contentType: PDF }
    const busy = [1, 2].map(() => hasty.extractText(bomb).catch((error: unknown) => error))
    await expect(hasty.extractText(NOTE)).rejects.toThrow('Too many files are being read')
    await Promise.all(busy)
    await expect.poll(() => hasty.extractText(NOTE).then(({ text }) => text, String)).toContain('Zürich')
    await hasty.close()
  })

  test('are read again after idle readers have ended', async () => {
    const lazy = createDocuments(undefined, { idleMs: 0 })
    await lazy.extractText(NOTE)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await lazy.extractText(NOTE)).text).toContain('Zürich')
    await lazy.close()
  })

  test('are rejected on close, both running and waiting', async () => {
    const closing = createDocuments()
    const reading = Array.from({ length: 5 }, () =>
      closing.extractText(NOTE).catch((error: unknown) => error),
    )
    await Promise.resolve()
    await closing.close()
    for (const outcome of await Promise.all(reading))
      expect(outcome).toMatchObject({ name: 'DocumentError', canTryAgain: true })
    await expect(closing.extractText(NOTE)).rejects.toThrow('The server is stopping')
  })
})

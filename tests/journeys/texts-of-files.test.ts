import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NewFile, Person } from '#tests/support/client.ts'
import { encodeText } from '#tests/support/encode-text.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { cjkPdf, linesOf, makePdf, utf16 } from '#tests/support/pdf-files.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let person: Person
let library: Librarian
let provider: Awaited<ReturnType<typeof startProvider>>
let model: string
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  model = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-echo',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

/** Asks a question with a file, and returns what the model receives. */
async function promptWith(uploadId: string): Promise<string> {
  const said = await server.say(person, { model_id: model }, { content: 'Look', file_uploads: [uploadId] })
  return JSON.parse(said.text).messages.at(-1).content
}

const FIELD =
  '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (FORMVALUE Alice Example) /Rect [100 690 300 710] >>'
const NOTE = `<< /Type /Annot /Subtype /FreeText /Contents ${utf16('FREETEXT note')} /Rect [100 600 300 620] >>`
const FILES: [what: string, file: NewFile, text: string, word: string][] = [
  [
    'a PDF with fonts of the reader',
    {
      name: 'a.pdf',
      bytes: cjkPdf({ map: 'GBK-EUC-H', encoding: 'gbk', ordering: 'GB1', text: '退款政策为三十天' }),
    },
    '退款政策为三十天',
    '退款政策',
  ],
  [
    'a PDF with a form',
    {
      name: 'b.pdf',
      bytes: makePdf({
        content: linesOf('Name:'),
        more: [FIELD, NOTE],
        page: '/Annots [7 0 R 8 0 R]',
        catalog: '/AcroForm << /Fields [7 0 R] >>',
      }),
    },
    'FREETEXT note\nname: FORMVALUE Alice Example',
    'FORMVALUE',
  ],
  [
    'a PDF with broken words',
    { name: 'c.pdf', bytes: makePdf({ content: linesOf('All infor-', 'mation on moles') }) },
    'All information on moles',
    'information',
  ],
  [
    'a table in GBK',
    { name: 'd.csv', bytes: encodeText('gbk', '产品,价格,说明\n退款政策,30,三十天内无条件退款\n') },
    '退款政策,30,三十天内无条件退款',
    '无条件退款',
  ],
  [
    'a text in UTF-16 without a byte order mark',
    { name: 'e.txt', bytes: encodeText('utf-16be', 'Товары возвращают за тридцать дней.\n') },
    'Товары возвращают за тридцать дней.',
    'возвращают',
  ],
  [
    'a table in Mac Roman',
    { name: 'f.csv', bytes: encodeText('macintosh', 'Name,City\nJosé,Köln\nFrançois,Zürich\n') },
    'José,Köln\nFrançois,Zürich',
    'François',
  ],
  [
    'a text with soft hyphens',
    { name: 'g.md', bytes: 'Donau\u00addampf\u00ad\nschiff' },
    'Donaudampfschiff',
    'Donaudampfschiff',
  ],
]

test.each(FILES)('%s reaches the prompt, and search finds it', async (_what, file, text, word) => {
  const { body: upload } = await server.upload(person, file)
  expect(upload).toMatchObject({ text_extracted: true })
  expect(await promptWith(upload.id)).toContain(text)
  const kb = await library.create()
  await library.add(kb, 'file', { upload_ids: [upload.id] })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready' })
  const { body } = await library.call('POST', 'search', { kb_id: kb }, { query: word })
  expect(body.results[0].content).toContain(word)
})

const OLD_OFFICE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
const REASONS: [what: string, file: NewFile, reason: RegExp][] = [
  ['an encrypted PDF', fixture('encrypted.pdf'), /^This PDF is encrypted/],
  ['a damaged PDF', fixture('truncated.pdf'), /^This PDF is damaged/],
  ['a scanned PDF', { name: 'scan.pdf', bytes: makePdf({}) }, /^This PDF contains no text.*OCR/],
  ['an encrypted document', fixture('encrypted.docx'), /^This document is encrypted/],
  ['a blank text', { name: 'blank.txt', bytes: ' \n' }, /contains no text/],
]

function fixture(name: string): NewFile {
  return { name, bytes: readFileSync(`tests/fixtures/${name}`) }
}

describe('the reason why a file has no text', () => {
  test.each(REASONS)('is stored and said: %s', async (_what, file, reason) => {
    const { body: upload } = await server.upload(person, file)
    expect(upload).toMatchObject({ text_extracted: false, text_error: expect.stringMatching(reason) })
    expect(await promptWith(upload.id)).toContain(upload.text_error)
    const kb = await library.create()
    await library.add(kb, 'file', { upload_ids: [upload.id] })
    await library.settle(kb)
    const { documents } = (await library.call('GET', 'list_documents', { kb_id: kb })).body
    expect(documents).toMatchObject([{ status: 'failed', error: upload.text_error }])
  })

  test.each(['a.doc', 'a.xls', 'a.ppt', 'a.docx'])('says how to save an old document: %s', async (name) => {
    const answer = await server.upload(person, { name, bytes: OLD_OFFICE })
    expect(answer).toMatchObject({
      status: 415,
      body: { detail: expect.stringContaining('Save this one as DOCX') },
    })
  })
})

describe('the encoding of a text', () => {
  const uploadIn = async (encoding: string | undefined, bytes: Buffer) => {
    const form = new FormData()
    form.set('file', new Blob([bytes as never]), 'a.txt')
    const query = new URLSearchParams({ org_id: person.organizationId, ...(encoding && { encoding }) })
    const response = await fetch(`${server.url}/api/chat/upload_file?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
      body: form,
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is stored with the file and its document, and says if it is doubtful', async () => {
    const long = encodeText('koi8-r', 'Возврат в течение тридцати дней без условий, деньги вернут.')
    const [found, doubtful, plain] = [
      await uploadIn(undefined, long),
      await uploadIn(undefined, encodeText('windows-1252', 'Zoë')),
      await uploadIn(undefined, Buffer.from('Zoë')),
    ]
    expect(found.body).toMatchObject({ text_encoding: 'koi8-r' })
    expect(found.body).not.toHaveProperty('text_encoding_doubtful')
    expect(doubtful.body).toMatchObject({ text_encoding: 'windows-1252', text_encoding_doubtful: true })
    expect(plain.body).not.toHaveProperty('text_encoding')
    const kb = await library.create()
    await library.add(kb, 'file', { upload_ids: [found, doubtful, plain].map(({ body }) => body['id']) })
    await library.settle(kb)
    const { documents } = (await library.call('GET', 'list_documents', { kb_id: kb })).body
    expect(documents.map(({ metadata }: { metadata: object }) => metadata)).toEqual(
      expect.arrayContaining([
        { encoding: 'koi8-r' },
        { encoding: 'windows-1252', encoding_doubtful: true },
        {},
      ]),
    )
  })

  test('may be chosen', async () => {
    const bytes = encodeText('windows-1251', 'Zoë, да'.replace('ë', 'e'))
    const { body } = await uploadIn('windows-1251', bytes)
    expect(body).toMatchObject({ text_encoding: 'windows-1251' })
    const { sql } = server.server.services.database
    const [row] = await sql`select text from upload_texts where upload_id = ${String(body['id'])}`
    expect(row?.['text']).toBe('Zoe, да')
    const unknown = await uploadIn('gbk-2', bytes)
    expect([unknown.status, unknown.body['detail']]).toEqual([400, expect.stringContaining('gbk-2')])
  })
})

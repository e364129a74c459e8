import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NewFile, Person } from '#tests/support/client.ts'
import { documentXml, makeDocx, makeZip } from '#tests/support/hostile-files.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Files of every kind: uploaded, described, and downloaded from the returned URL. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

const fixture = (name: string): NewFile => ({ name, bytes: readFileSync(`tests/fixtures/${name}`) })

/** Rewrites a URL from BASE_URL to the test server. */
const here = (url: string): string => server.url + url.slice('http://parley.test'.length)
const get = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(here(url), { headers, method })

async function uploaded(file: NewFile) {
  const answer = await server.upload(person, file)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const TYPES: [name: string, contentType: string, textExtracted: boolean][] = [
  ['book.pdf', 'application/pdf', true],
  ['note.txt', 'text/plain', true],
  ['report.docx', `${OFFICE}.wordprocessingml.document`, true],
  ['figures.xlsx', `${OFFICE}.spreadsheetml.sheet`, true],
  ['table.csv', 'text/csv', true],
  ['note.md', 'text/markdown', true],
  ['picture.jpg', 'image/jpeg', false],
  ['picture.png', 'image/png', false],
  ['picture.gif', 'image/gif', false],
  ['picture.webp', 'image/webp', false],
  ['picture.svg', 'image/svg+xml', false],
  ['sound.mp3', 'audio/mpeg', false],
  ['sound.wav', 'audio/wav', false],
  ['sound.m4a', 'audio/mp4', false],
  ['sound.ogg', 'audio/ogg', false],
  ['sound.flac', 'audio/flac', false],
  ['film.mp4', 'video/mp4', false],
  ['film.webm', 'video/webm', false],
  ['film.mov', 'video/quicktime', false],
  ['film.avi', 'video/x-msvideo', false],
]

test.each(TYPES)('%s is accepted as %s and read back', async (name, contentType, textExtracted) => {
  const file = fixture(name)
  const upload = await uploaded(file)
  expect(upload).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url: expect.stringMatching(`^http://parley.test/files/${person.organizationId}/`),
    filename: name,
    content_type: contentType,
    size: file.bytes.length,
    text_extracted: textExtracted,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  const answer = await get(upload.url)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe(
    contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
  )
  expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(file.bytes))).toBe(true)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  const isShown = /^(image\/(?!svg)|audio|video|text\/plain)/.test(contentType)
  expect(answer.headers.get('content-disposition')).toBe(
    `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
  )
})

test('a page with the name of a text file is served as text', async () => {
  const upload = await uploaded({ name: 'a.txt', bytes: '<script>alert(1)</script>', type: 'text/html' })
  const answer = await get(upload.url)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

test('a table from Excel in a Windows encoding is decoded', async () => {
  const latin = Buffer.from('Größe;Preis\r\nübergroß;5 \x80\r\n', 'latin1')
  const upload = await uploaded({ name: 'preise.csv', bytes: latin })
  expect(upload).toMatchObject({ content_type: 'text/csv', text_extracted: true })
  const { sql } = server.server.services.database
  const [row] = await sql`select text from upload_texts where upload_id = ${upload.id}`
  expect(row?.['text']).toBe('Größe;Preis\nübergroß;5 €\n')
})

describe('a file URL', () => {
  test('supports ranges, HEAD and conditional requests', async () => {
    const bytes = readFileSync('tests/fixtures/note.txt')
    const { url } = await uploaded(fixture('note.txt'))
    const part = await get(url, { range: 'bytes=2-5' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 2-5/${bytes.length}`,
      bytes.subarray(2, 6).toString(),
    ])
    const tail = await get(url, { range: 'bytes=-3' })
    expect([tail.status, await tail.text()]).toEqual([206, bytes.subarray(-3).toString()])
    const beyond = await get(url, { range: 'bytes=100000-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
    const head = await get(url, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ])
    const etag = head.headers.get('etag') ?? ''
    const when = async (...headers: string[]) => {
      // fetch adds Cache-Control: no-cache to conditional requests, and so would get the whole file.
      const lines = [`GET ${new URL(url).pathname + new URL(url).search} HTTP/1.1`, 'Host: a', ...headers]
      const request = await sendRaw(server.url, `${lines.join('\r\n')}\r\n\r\n`)
      const { status } = await request.answer()
      request.socket.destroy()
      return status
    }
    expect(await when(`If-None-Match: ${etag}`)).toBe(304)
    expect(await when('If-None-Match: "another"')).toBe(200)
    expect(await when('If-Match: "another"')).toBe(412)
    expect((await get(url, {}, 'POST')).status).toBe(404)
  })

  test('is refused if it is changed or expired', async () => {
    const [one, other] = [await uploaded(fixture('note.txt')), await uploaded(fixture('picture.svg'))]
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(one.url)
      change(url)
      return url.href
    }
    const set = (name: string, value: string) => changed(({ searchParams }) => searchParams.set(name, value))
    const signature = new URL(one.url).searchParams.get('signature') ?? ''
    const wrong = [
      set('signature', `A${signature.slice(1)}`.replace(signature, `B${signature.slice(1)}`)),
      set('signature', ''),
      set('type', 'text/html'),
      set('expires', '9999999999'),
      set('expires', '1'),
      changed((url) => {
        url.pathname = new URL(other.url).pathname
      }),
      changed((url) => {
        url.pathname = url.pathname.replace('note.txt', '../../secret')
      }),
      changed((url) => {
        url.pathname = url.pathname.replace('note.txt', '..%2F..%2F..%2Fsecret')
      }),
      changed((url) => url.searchParams.append('type', 'text/html')),
      changed(({ searchParams }) => searchParams.delete('type')),
    ]
    for (const url of wrong) {
      const answer = await get(url)
      expect([url, answer.status]).toEqual([url, 403])
      expect(await answer.json()).toMatchObject({ code: 'file.link_invalid' })
    }
  })

  test('returns 404 if the file is deleted', async () => {
    const upload = await uploaded(fixture('note.txt'))
    const { sql } = server.server.services.database
    await sql`delete from uploads where id = ${upload.id}`
    // Before the file is removed from the storage, too.
    expect((await get(upload.url)).status).toBe(404)
    await server.server.services.uploads.sweep()
    expect((await get(upload.url)).status).toBe(404)
  })
})

/** File names as sent, and as stored. */
const NAMES: [sent: string, kept: string][] = [
  ['../../x.txt', 'x.txt'],
  ['C:\\Users\\Ada\\x.txt', 'x.txt'],
  [`${'n'.repeat(251)}.txt`, `${'n'.repeat(196)}.txt`],
  [`${'ü'.repeat(120)}.txt`, `${'ü'.repeat(98)}.txt`],
  ['\u202etxt.gpj', 'txt.gpj'],
  ['...', 'file'],
  ['.txt', 'txt'],
  ['🦊 notes.txt', '🦊 notes.txt'],
  [`a'b;c (1)*!.txt`, `a'b;c (1)*!.txt`],
  ['100% & more #1?=+~@.txt', '100% & more #1?=+~@.txt'],
  ['%41%2F%00%25.txt', '%41%2F%00%25.txt'],
  ['Straße über\u00a0Köln.txt', 'Straße über Köln.txt'],
  ['__proto__', '__proto__'],
]

test.each(NAMES)('a file called %j is stored as %j', async (sent, kept) => {
  const isPicture = !/\.txt$|^[._]/.test(sent)
  const file = isPicture ? fixture('picture.png') : fixture('note.txt')
  const upload = await uploaded({ ...file, name: sent })
  expect(upload.filename).toBe(kept)
  const answer = await get(upload.url)
  expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(file.bytes))]).toEqual([
    200,
    true,
  ])
  const [, encoded = ''] =
    /filename\*=UTF-8''(\S*)$/.exec(answer.headers.get('content-disposition') ?? '') ?? []
  expect(encoded).toMatch(/^[\w.!#$&+^`|~%-]*$/) // RFC 8187, attr-char
  expect(decodeURIComponent(encoded)).toBe(kept)
})

test('a name with 60,000 dots causes no delay', async () => {
  const upload = await uploaded({ ...fixture('picture.png'), name: `a${'.'.repeat(60_000)}x` })
  expect(upload.filename).toBe('a')
})

test('a duplicate name in a chat gets a number', async () => {
  const { body: chat } = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
    token: person.token,
    body: {},
  })
  const names = []
  for (const name of ['note.txt', 'note.txt', 'note.txt', 'NOTE.txt', 'note (2).txt', 'LICENSE', 'LICENSE'])
    names.push((await server.upload(person, { ...fixture('note.txt'), name }, chat.id)).body.filename)
  expect(names).toEqual([
    'note.txt',
    'note (2).txt',
    'note (3).txt',
    'NOTE (4).txt',
    'note (2) (2).txt',
    'LICENSE',
    'LICENSE (2)',
  ])
})

test.each([
  ['a program', { name: 'a.exe', bytes: Buffer.from('MZ\x90\x00\x03', 'latin1') }, 415],
  ['a zip', fixture('archive.zip'), 415],
  ['Matroska', fixture('film.mkv'), 415],
  ['a page', { name: 'a.html', bytes: '<!doctype html>' }, 415],
  ['text named as a PDF', { name: 'a.pdf', bytes: 'hello' }, 415],
  ['nothing', { name: 'a.txt', bytes: '' }, 400],
])('%s is refused', async (_what, file, status) => {
  const answer = await server.upload(person, file)
  expect(answer.status).toBe(status)
  expect(answer.body.detail).toMatch(
    status === 400 ? 'The file is empty.' : 'Files of this type are not supported',
  )
})

test.each([
  ['a truncated PDF', fixture('truncated.pdf')],
  ['an encrypted PDF', fixture('encrypted.pdf')],
  ['an encrypted DOCX', fixture('encrypted.docx')],
  [
    'a DOCX that decompresses to too much',
    { name: 'b.docx', bytes: makeDocx(Buffer.alloc(200_000_000, ' ')) },
  ],
  ['a DOCX that is not XML', { name: 'c.docx', bytes: makeDocx('<not xml') }],
  ['a DOCX with a false size', { name: 'd.docx', bytes: makeDocx(documentXml('x'), { claims: 1 }) }],
  ['an image named as a PDF', fixture('picture-called.pdf')],
])('%s is stored without text', async (_what, file) => {
  const upload = await uploaded(file)
  expect(upload.text_extracted).toBe(false)
  expect((await get(upload.url)).status).toBe(200)
})

test('a damaged DOCX is refused or stored, without a server error', async () => {
  for (const file of [fixture('truncated.docx'), { name: 'x.docx', bytes: makeZip([]) }]) {
    const { status } = await server.upload(person, file)
    expect([201, 415]).toContain(status)
  }
})

test('no file remains in the folder of incoming files', () => {
  expect(readdirSync(`${server.environment['DATA_DIR']}/incoming`)).toEqual([])
})

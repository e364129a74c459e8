import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, uploadPath } from '#tests/support/client.ts'
import { BOUNDARY, filePart, makeForm, sendRaw } from '#tests/support/raw-request.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Malformed, oversized and interrupted uploads. */

const LIMIT = 100_000

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer({ MAX_UPLOAD_BYTES: String(LIMIT) })
  person = await server.signUp()
})
afterAll(() => server.stop())

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${person.token}`, ...lines, '', ''].join('\r\n')
const FORM = `Content-Type: multipart/form-data; boundary=${BOUNDARY}`
const path = (): string => uploadPath(person)

/** Sends a complete body to upload_file and reads the response. */
async function send(body: string | Uint8Array, type = FORM) {
  const length = `Content-Length: ${Buffer.byteLength(body as string)}`
  const request = await sendRaw(server.url, head(path(), type, length), body)
  const { status, text } = await request.answer()
  request.socket.destroy()
  return { status, body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) }
}

const incoming = (): string[] => readdirSync(`${server.environment['DATA_DIR']}/incoming`)
/** Returns the files of incoming/ that this process, which runs the server, has open. Linux only. */
const held = (): string[] =>
  (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.includes('/incoming/') ? [target] : []
    } catch {
      return []
    }
  })

const expectNothingLeft = (): Promise<void> => expect.poll(() => [incoming(), held()]).toEqual([[], []])

const note = filePart('a.txt', 'hello')

describe('a form', () => {
  test('with one file is accepted', async () => {
    const { status, body } = await send(makeForm(note))
    expect([status, body.filename, body.size]).toEqual([201, 'a.txt', 5])
  })

  test('that is larger than one chunk arrives completely', async () => {
    const bytes = 'x'.repeat(LIMIT)
    const { status, body } = await send(makeForm(filePart('a.txt', bytes)))
    expect([status, body.size]).toEqual([201, LIMIT])
    const url = new URL(body.url)
    expect(await (await fetch(server.url + url.pathname + url.search)).text()).toBe(bytes)
  })

  test('with a preamble and an epilogue (RFC 2046) is accepted', async () => {
    const form = Buffer.concat([Buffer.from('preamble\r\n'), makeForm(note), Buffer.from('epilogue\r\n')])
    expect((await send(form)).status).toBe(201)
  })

  test.each([
    ['two files', makeForm(note, note), 'Send one file at a time.'],
    ['two files, the second empty', makeForm(note, filePart('b.txt', '')), 'Send one file at a time.'],
    [
      'another field',
      makeForm(filePart('a.txt', 'hello', 'document')),
      'document is not a field of this form',
    ],
    [
      'a field beside its file',
      makeForm(note, { headers: ['Content-Disposition: form-data; name="chat_id"'], content: '1' }),
      'chat_id is not a field of this form',
    ],
    [
      'a field before its file',
      makeForm({ headers: ['Content-Disposition: form-data; name="chat_id"'], content: '1' }, note),
      'chat_id is not a field of this form',
    ],
    [
      'the file as text',
      makeForm({ headers: ['Content-Disposition: form-data; name="file"'], content: 'hello' }),
      'file is not a field of this form',
    ],
    ['no parts', `--${BOUNDARY}--\r\n`, 'The form has no file in the field named file.'],
    ['a part without headers', makeForm({ headers: [], content: 'hello' }), 'The form has no file'],
    ['nothing', '', 'The form'],
    ['another boundary', makeForm(note).toString().replaceAll(BOUNDARY, 'other'), 'The form'],
    ['no closing boundary', makeForm(note).subarray(0, -(BOUNDARY.length + 8)), 'malformed'],
    ['only the headers of a file', makeForm(note).toString().split('hello')[0] ?? '', 'malformed'],
    ['half of a header', makeForm(note).toString().split('filename')[0] ?? '', 'The form'],
  ])('with %s is refused', async (_what, form, detail) => {
    const { status, body } = await send(form)
    expect([status, body.detail]).toEqual([400, expect.stringContaining(detail)])
    await expectNothingLeft()
  })

  test('with a thousand parts is refused', async () => {
    const parts = Array.from({ length: 1_000 }, () => ({ headers: ['X-Nothing: 1'], content: '' }))
    expect((await send(makeForm(...parts))).status).toBe(400)
  })

  test.each([
    ['binary data', 'Content-Type: application/octet-stream', 415],
    ['JSON', 'Content-Type: application/json', 415],
    ['nothing', 'X-Nothing: 1', 415],
    ['a form without a boundary', 'Content-Type: multipart/form-data', 400],
    ['another kind of form', `Content-Type: multipart/mixed; boundary=${BOUNDARY}`, 415],
  ])('declared as %s is refused', async (_what, type, status) => {
    expect((await send(makeForm(note), type)).status).toBe(status)
  })

  test.each([
    [
      'no name',
      ['Content-Disposition: form-data; name="file"', 'Content-Type: application/octet-stream'],
      'file',
    ],
    ['an empty name', ['Content-Disposition: form-data; name="file"; filename=""'], 'file'],
    ['NUL in its name', ['Content-Disposition: form-data; name="file"; filename="a\0b.txt"'], 'ab.txt'],
    ['an escaped quote', ['Content-Disposition: form-data; name="file"; filename="a\\"b.txt"'], 'a"b.txt'],
  ])('a file with %s is stored', async (_what, headers, filename) => {
    const { status, body } = await send(makeForm({ headers, content: 'hello' }))
    expect([status, body.filename]).toEqual([201, filename])
  })
})

describe('a file that is too large', () => {
  test('is refused by its Content-Length before it is sent', async () => {
    const request = await sendRaw(server.url, head(path(), FORM, 'Content-Length: 10000000'))
    const { status, text } = await request.answer()
    expect([status, text]).toEqual([413, expect.stringContaining(`${LIMIT}`)])
    request.socket.destroy()
  })

  test.each([
    ['stated', (size: number) => `Content-Length: ${size}`],
    ['not stated', () => 'Transfer-Encoding: chunked'],
  ])('whose length is %s is refused while the client sends', async (_what, line) => {
    const form = makeForm(filePart('a.txt', Buffer.alloc(20_000_000, 'x')))
    const header = line(form.length)
    const body = header.startsWith('T')
      ? Buffer.concat([Buffer.from(`${form.length.toString(16)}\r\n`), form, Buffer.from('\r\n0\r\n\r\n')])
      : form
    const request = await sendRaw(server.url, head(path(), FORM, header), body)
    const { status, text } = await request.answer()
    expect([status, text]).toEqual([413, expect.stringContaining('request.file_too_large')])
    request.socket.destroy()
    await expectNothingLeft()
  })

  test('is refused at one byte over the limit', async () => {
    const { status, body } = await send(makeForm(filePart('a.txt', Buffer.alloc(LIMIT + 1, 'x'))))
    expect([status, body.code]).toEqual([413, 'request.file_too_large'])
    await expectNothingLeft()
  })

  test('is refused if the body is the file', async () => {
    const request = await sendRaw(
      server.url,
      head('/api/chat/transcribe', 'Content-Type: audio/mpeg', 'Transfer-Encoding: chunked'),
      `${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n0\r\n\r\n`,
    )
    expect((await request.answer()).status).toBe(413)
    request.socket.destroy()
    await expectNothingLeft()
  })
})

describe('a client that disconnects', () => {
  const whole = makeForm(filePart('a.txt', 'x'.repeat(50_000)))

  test.each([0, 10, 100, 160, 1_000, 49_000, whole.length - 3])(
    'after %i bytes leaves nothing behind',
    async (bytes) => {
      const request = await sendRaw(
        server.url,
        head(path(), FORM, `Content-Length: ${whole.length}`),
        whole.subarray(0, bytes),
      )
      await sleep(30)
      request.socket.destroy()
      await expectNothingLeft()
    },
  )

  test('while it sends the file as the body leaves nothing behind', async () => {
    const request = await sendRaw(
      server.url,
      head('/api/chat/transcribe', 'Content-Type: audio/mpeg', 'Content-Length: 50000'),
      'x'.repeat(1_000),
    )
    await sleep(30)
    request.socket.destroy()
    await expectNothingLeft()
  })

  test('after sending everything leaves a complete file or none', async () => {
    for (let count = 0; count < 10; count++) {
      const length = `Content-Length: ${whole.length}`
      const request = await sendRaw(server.url, head(path(), FORM, length), whole)
      await sleep(count)
      request.socket.destroy()
    }
    await expectNothingLeft()
    const { sql } = server.server.services.database
    await expect.poll(() => sql`select id from uploads where status = 'pending'`).toHaveLength(0)
  })

  test('a client that waits for 100 Continue gets it, and a slow one is accepted', async () => {
    const length = `Content-Length: ${whole.length}`
    const request = await sendRaw(server.url, head(path(), FORM, length, 'Expect: 100-continue'))
    await sleep(30)
    for (let from = 0; from < whole.length; from += 10_000) {
      request.socket.write(whole.subarray(from, from + 10_000))
      await sleep(5)
    }
    expect((await request.answer()).text).toMatch(/^HTTP\/1.1 100 [\s\S]*HTTP\/1.1 201 /)
    request.socket.destroy()
  })
})

test('a recording is accepted as a form and as the body', async () => {
  const recording = readFileSync('tests/fixtures/speech.ogg')
  const answers = await Promise.all(
    [
      { type: FORM, body: makeForm(filePart('speech.ogg', recording)) },
      { type: 'Content-Type: audio/ogg', body: recording },
    ].map(async ({ type, body }) => {
      const start = head('/api/chat/transcribe', type, `Content-Length: ${body.length}`)
      const request = await sendRaw(server.url, start, body)
      const { status, text } = await request.answer()
      request.socket.destroy()
      return { status, body: JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) }
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers[0]?.body).toEqual(answers[1]?.body)
  await expectNothingLeft()
})

test('unauthorized uploads are refused before the file is read', async () => {
  const answers = await Promise.all(
    [
      'POST /api/chat/upload_file HTTP/1.1\r\nHost: a\r\n',
      `POST ${path()} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n`,
    ].map(async (start) => {
      const request = await sendRaw(server.url, `${start}${FORM}\r\nContent-Length: 5000\r\n\r\n`)
      const { status } = await request.answer()
      request.socket.destroy()
      return status
    }),
  )
  expect(answers).toEqual([expect.any(Number), 401])
  expect(answers[0]).toBeGreaterThanOrEqual(400)
  await expectNothingLeft()
})

import { readFileSync } from 'node:fs'
import type { Answer, NewFile, Person } from '#tests/support/client.ts'
import {
  documentXml,
  makeDeepPdf,
  makeDocx,
  makePdfBomb,
  makeXlsx,
  makeZip,
} from '#tests/support/hostile-files.ts'
import type { Row } from './row.ts'
import { memoryOf } from './server-memory.ts'
import type { Stage } from './stage.ts'

const SCRIPT = '<script>alert(1)</script>'
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</body></foreignObject></svg>`
const HTML = `<!doctype html><html><body>${SCRIPT}</body></html>`
/** Image headers that are followed by an HTML page. */
const GIF = Buffer.concat([
  Buffer.from('GIF89a/*'),
  Buffer.alloc(8, 0x20),
  Buffer.from(`*/=1;alert(1)//${HTML}`),
])
const PNG = Buffer.concat([
  readFileSync(new URL('../fixtures/picture.png', import.meta.url)),
  Buffer.from(HTML),
])
const MEGABYTE = 1024 * 1024

/** File contents. Each is uploaded under every name and content type in GUISES. */
const CONTENTS: [what: string, bytes: string | Buffer][] = [
  ['a page', HTML],
  ['XHTML', `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`],
  [
    'XML with a style sheet',
    `<?xml version="1.0"?><?xml-stylesheet href="data:text/xsl,x"?><a>${SCRIPT}</a>`,
  ],
  ['SVG', SVG],
  ['SVG after a comment', `<!-- x -->\n${SVG}`],
  ['a GIF that is a script', GIF],
  ['a PNG that is a page', PNG],
  ['a PDF that is a page', `%PDF-1.7\n${HTML}`],
  ['UTF-7', '+ADw-script+AD4-alert(1)+ADw-/script+AD4-'],
  ['a page in UTF-16', Buffer.from(`\ufeff${HTML}`, 'utf16le')],
  ['a script', 'alert(1)'],
  [
    'a multipart page',
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n${HTML}`,
  ],
]
const GUISES: [name: string, type: string][] = [
  ['a.html', 'text/html'],
  ['a.txt', 'text/html'],
  ['a.png', 'image/png'],
  ['a.svg', 'image/svg+xml'],
  ['a.xhtml', 'application/xhtml+xml'],
  ['a.pdf', 'application/pdf'],
  ['a.js', 'text/javascript'],
  ['a.html\r\nX-Injected: 1', 'text/plain'],
  ['../../secret";x="a.html', 'text/html\r\nX-Injected: 1'],
]

/** Content types that the server may serve inline. Browsers run no scripts in any of them. */
const HARMLESS = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.-]+|video\/[\w.-]+|text\/plain; charset=utf-8)$/

/**
 * Files that decompress without end, are nested without end, or slow down their parser. Some take a second to create.
 */
const BOMBS: [what: string, name: string, make: () => Buffer][] = [
  ['a DOCX of one long text', 'a.docx', () => makeDocx(documentXml('x'.repeat(24 * MEGABYTE)))],
  ['a DOCX of 122 MB', 'a.docx', () => makeDocx(Buffer.alloc(122 * MEGABYTE, '<w:p/>'))],
  [
    'a DOCX with a false size in its directory',
    'a.docx',
    () => makeDocx(Buffer.alloc(60 * MEGABYTE, '<w:p/>'), { claims: 10 }),
  ],
  ['a DOCX with entities', 'a.docx', () => makeDocx(documentXml('&a;', ENTITIES))],
  [
    'a DOCX with deep nesting',
    'a.docx',
    () => makeDocx(documentXml(`${'<w:r>'.repeat(200_000)}${'</w:r>'.repeat(200_000)}`)),
  ],
  ['an XLSX with entities', 'a.xlsx', () => makeXlsx('<row><c><v>&a;</v></c></row>', ENTITIES)],
  [
    'an XLSX of empty rows',
    'a.xlsx',
    () => makeXlsx('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'.repeat(100_000)),
  ],
  ['a PDF with deep nesting', 'a.pdf', () => makeDeepPdf(20_000)],
  ['a PDF whose page decompresses to 200 MB', 'a.pdf', () => makePdfBomb(200)],
]
const ENTITIES =
  '<!DOCTYPE x [<!ENTITY c "canary"><!ENTITY b "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY a "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'

/** Audio files whose headers declare more data than the file contains, or whose structures are endless. */
const recordings = (): [what: string, bytes: Buffer][] => [
  [
    'a WAV of a million chunks',
    Buffer.concat([
      Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'),
      Buffer.alloc(4 * MEGABYTE, Buffer.from('junk\0\0\0\0', 'latin1')),
    ]),
  ],
  [
    'a WAV with an endless chunk',
    Buffer.concat([
      Buffer.from('RIFF\xff\xff\xff\x7fWAVEfmt \xff\xff\xff\xff', 'latin1'),
      Buffer.alloc(1000),
    ]),
  ],
  [
    'a FLAC of empty blocks',
    Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(4 * MEGABYTE, Buffer.from([1, 0, 0, 0]))]),
  ],
  [
    'a FLAC whose comment claims 2 GB',
    Buffer.concat([Buffer.from('fLaC'), Buffer.from([4, 0, 0, 64]), Buffer.alloc(64, 0x7f)]),
  ],
  [
    'an MP3 of tags',
    Buffer.concat([Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'), Buffer.alloc(2 * MEGABYTE)]),
  ],
  [
    'an Ogg of empty pages',
    Buffer.alloc(2 * MEGABYTE, Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')),
  ],
]

const archives = (): [what: string, bytes: Buffer][] => [
  ['an archive of spaces', makeZip([{ name: 'parley.json', content: ' '.repeat(30 * MEGABYTE) }])],
  ['an archive that claims 4 GB', makeZip([{ name: 'parley.json', content: 'x', claims: 0xfffffff0 }])],
  [
    'an archive in an archive',
    makeZip([{ name: 'parley.json', content: makeZip([{ name: 'a', content: ' '.repeat(30 * MEGABYTE) }]) }]),
  ],
  [
    'an archive with paths outside of its folder',
    makeZip([{ name: '../../../tmp/parley-out.txt', content: 'x' }]),
  ],
  ['no archive', Buffer.from('PK\x03\x04'.repeat(10_000), 'latin1')],
]

const GROWTH_BYTES_MAX = 500 * MEGABYTE

/** Uploads files that are valid in two formats, and small files that are expensive to process. */
export const hostileFiles: Row = {
  name: 'hostile-files',
  cases: { full: Number.POSITIVE_INFINITY, commit: 15 },
  async run(stage, { cases }) {
    const failures: string[] = []
    let tried = 0
    const expectNone = async (what: string, attack: () => Promise<string | null>): Promise<void> => {
      tried += 1
      const fault = await attack().catch((error: unknown) => `the attempt failed: ${error}`)
      if (fault !== null) failures.push(`${what}: ${fault}`)
    }
    const guises = CONTENTS.flatMap(([what, bytes]) =>
      GUISES.map(([name, type]) => ({ what, bytes, name, type })),
    )
    const step = Math.max(1, Math.ceil(guises.length / cases))
    const before = memoryOf(stage)
    const person = await stage.signUp()
    for (const { what, bytes, name, type } of guises.filter((_, index) => index % step === 0))
      await expectNone(`${what} as ${JSON.stringify(name)}, ${JSON.stringify(type)}`, () =>
        serve(stage, person, { name, bytes, type }),
      )
    const isWhole = cases > 15
    for (const [what, name, make] of BOMBS.slice(0, isWhole ? undefined : 1))
      await expectNone(what, () =>
        watched(stage, async () => readAs(await stage.upload(await stage.signUp(), { name, bytes: make() }))),
      )
    for (const [what, bytes] of recordings().slice(0, isWhole ? undefined : 1))
      await expectNone(what, () =>
        watched(stage, async () =>
          survived(await send(stage, person, '/api/chat/transcribe', 'a.wav', bytes)),
        ),
      )
    for (const [what, bytes] of archives().slice(0, isWhole ? undefined : 1))
      await expectNone(what, () =>
        watched(stage, async () => refusedBy(await send(stage, person, '/api/org/import', 'a.zip', bytes))),
      )
    const growth = memoryOf(stage) - before
    if (growth > GROWTH_BYTES_MAX) failures.push(`the server's memory grew by ${growth} bytes`)
    return { cases: tried, failures }
  },
  brokenBy: [
    {
      without: 'the content security policy of files',
      edits: [
        {
          file: 'server/platform/storage/serve-files.ts',
          text: "'Content-Security-Policy': CONTENT_POLICY,",
          replacement: '',
        },
      ],
    },
    {
      without: 'the list of types that browsers may show inline',
      edits: [
        {
          file: 'server/platform/storage/addresses.ts',
          text: "SHOWN.test(contentType) ? 'inline' : 'attachment'",
          replacement: "'inline'",
        },
      ],
    },
    {
      without: 'limits for decompressed data',
      edits: [
        {
          file: 'server/platform/documents/office-package.ts',
          text: 'if (total > RATIO_FREE_BYTES && total > fileBytes * RATIO_MAX)',
          replacement: 'if (total < 0)',
        },
      ],
    },
  ],
}

/** Uploads a file and downloads it as a browser does. Returns a description of the server's fault, or null. */
async function serve(stage: Stage, person: Person, file: NewFile): Promise<string | null> {
  const upload = await stage.upload(person, file)
  if (upload.status >= 500) return `${upload.status} ${upload.text}`
  if (upload.status !== 201) return null
  const { pathname, search } = new URL(upload.body.url)
  const { status, headers } = await stage.call('GET', pathname + search)
  await stage.call('DELETE', `/api/chat/delete_upload?upload_id=${upload.body.id}`, { token: person.token })
  if (status !== 200) return `the file returns ${status}`
  const [type, disposition = '', policy = ''] = [
    'content-type',
    'content-disposition',
    'content-security-policy',
  ].map((name) => headers.get(name) ?? '')
  if (headers.get('x-injected') !== null) return 'a header was injected'
  if (headers.get('x-content-type-options') !== 'nosniff') return 'without nosniff'
  if (!policy.startsWith("sandbox; default-src 'none'")) return `under the policy ${policy}`
  if (disposition.startsWith('inline') && !HARMLESS.test(type ?? '')) return `shown as ${type}`
  return /^(inline|attachment); filename\*=UTF-8''[\w.~%-]+$/.test(disposition)
    ? null
    : `disposition ${disposition}`
}

/** Returns a fault if the server failed or extracted text from a bomb, or else null. */
function readAs({ status, body, text }: Answer): string | null {
  if (status >= 500) return `${status} ${text}`
  return status === 201 && body.text_extracted === true ? 'its text was extracted' : null
}

/**
 * Returns a fault if the server failed, or else null. The server may reject the audio, or accept it without a length.
 */
const survived = ({ status, text }: Answer): string | null =>
  status < 500 ? null : `${status} ${text.slice(0, 200)}`

const refusedBy = ({ status, text }: Answer): string | null =>
  status >= 400 && status < 500 ? null : `${status} ${text.slice(0, 200)}`

/** Runs `work` while sending other requests. Returns the fault of `work`, or a fault if another request failed. */
async function watched(stage: Stage, work: () => Promise<string | null>): Promise<string | null> {
  let isDone = false
  const others = (async () => {
    do {
      const { status } = await stage.call('GET', '/healthz')
      if (status !== 200) return `others get ${status}`
      await new Promise((resolve) => setTimeout(resolve, 20))
    } while (!isDone)
    return null
  })()
  const fault = await work().finally(() => {
    isDone = true
  })
  return fault ?? (await others)
}

async function send(
  stage: Stage,
  { token }: Person,
  path: string,
  name: string,
  bytes: Buffer,
): Promise<Answer> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), name)
  const answer = await fetch(stage.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
}

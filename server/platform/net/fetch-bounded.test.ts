import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type BoundedRequest, FetchError, fetchBounded } from './fetch-bounded.ts'
import { createNet, NetError } from './index.ts'

/** Tests responses of malicious servers. In these tests, names that end in .example resolve to this machine. */

const TEXT = Buffer.from('Grüße. '.repeat(1_000))
const BYTES_MAX = 100_000
const PACKED: Record<string, [string, Buffer]> = {
  gzip: ['gzip', gzipSync(TEXT)],
  br: ['br', brotliCompressSync(TEXT)],
  deflate: ['deflate', deflateSync(TEXT)],
  'deflate-raw': ['deflate', deflateRawSync(TEXT)],
  zstd: ['zstd', zstdCompressSync(TEXT)],
  twice: ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  empty: ['gzip', Buffer.alloc(0)],
}
const ZEROS = Buffer.alloc(50_000_000)

const requests: IncomingMessage[] = []
let origin = ''
const server = createServer((request, response) => {
  requests.push(request)
  const [, what = '', rest = ''] = (request.url ?? '').split('/')
  const answer = ANSWERS[what]
  if (answer) answer(response, decodeURIComponent(rest))
  else response.writeHead(404).end('Not here')
})

const ANSWERS: Record<string, (response: ServerResponse, rest: string) => void> = {
  text: (response) => response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end(TEXT),
  packed: (response, kind) => {
    const [encoding, bytes] = PACKED[kind] ?? ['', TEXT]
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes)
  },
  unknown: (response) => response.writeHead(200, { 'content-encoding': 'exi' }).end(TEXT),
  many: (response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' }).end(TEXT),
  damaged: (response, encoding) => response.writeHead(200, { 'content-encoding': encoding }).end(TEXT),
  breaksoff: (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT).subarray(0, 50)),
  bomb: (response, encoding) =>
    response
      .writeHead(200, { 'content-encoding': encoding })
      .end(encoding === 'zstd' ? zstdCompressSync(ZEROS) : gzipSync(ZEROS)),
  endless: (response) => sendEndlessly(response.writeHead(200)),
  drip: (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  },
  silent: () => {},
  cut: (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('a')
    setTimeout(() => response.destroy(), 20)
  },
  to: (response, location) => response.writeHead(302, { location }).end('elsewhere'),
  nowhere: (response) => response.writeHead(302).end(),
  loop: (response, rest) => response.writeHead(301, { location: `/loop/${Number(rest) + 1}` }).end(),
  status: (response, status) => response.writeHead(Number(status)).end('words of the server'),
  binary: (response) => sendEndlessly(response.writeHead(200, { 'content-type': 'video/mp4' })),
}

function sendEndlessly(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
  }
  response.on('drain', write)
  write()
}

const net = createExampleNet()
const strict = createNet({ allowPrivateNetwork: false })
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all([net.close(), strict.close()])
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const get = (path: string, more: Partial<BoundedRequest> = {}) =>
  fetchBounded(net, origin + path, {
    bytesMax: BYTES_MAX,
    timeoutMs: 5_000,
    signal: new AbortController().signal,
    ...more,
  })
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )

test('a response is returned as sent, and the request names Parley', async () => {
  expect(await get('/text')).toMatchObject({
    url: `${origin}/text`,
    status: 200,
    contentType: 'text/plain',
    etag: '"1"',
    lastModified: null,
    body: TEXT,
  })
  expect(requests.at(-1)?.headers['user-agent']).toMatch(/^Parley /)
})

test.each(Object.keys(PACKED))('a %s response is decompressed', async (kind) => {
  expect((await get(`/packed/${kind}`)).body).toEqual(kind === 'empty' ? Buffer.alloc(0) : TEXT)
})

test.each([304, 404, 500])('status %i is returned without reading the body', async (status) => {
  expect(await get(`/status/${status}`)).toMatchObject({ status, body: Buffer.alloc(0) })
})

test('a body of another type is not read', async () => {
  expect(await get('/binary', { accept: ['text/html'] })).toMatchObject({
    contentType: 'video/mp4',
    body: Buffer.alloc(0),
  })
})

test.each(['', 'gzip'])('a body over the limit can be cut (%s)', async (encoding) => {
  const path = encoding === '' ? '/endless/' : '/bomb/gzip'
  expect((await get(path, { isCut: true })).body).toHaveLength(BYTES_MAX)
})

test.each([
  ['/endless/', 'sent a response larger than 0.1 MB'],
  ['/bomb/gzip', 'sent a response larger than 0.1 MB'],
  ['/bomb/zstd', 'sent a response larger than 0.1 MB'],
  ['/unknown', 'compressed its response'],
  ['/many', 'compressed its response'],
  ['/damaged/gzip', 'sent a damaged response'],
  ['/damaged/br', 'sent a damaged response'],
  ['/damaged/zstd', 'sent a damaged response'],
  ['/damaged/deflate', 'sent a damaged response'],
  ['/breaksoff', 'sent a damaged response'],
  ['/cut', 'closed the connection'],
  ['/nowhere', 'redirects to a URL that cannot be followed'],
  ['/to/http%3A%2F%2F', 'redirects to a URL that cannot be followed'],
  ['/loop/0', 'redirects more than 5 times'],
])('%s fails: %s', async (path, sentence) => {
  const failure = await failureOf(get(path))
  expect(failure).toBeInstanceOf(FetchError)
  expect(failure?.message).toContain(sentence)
})

test.each(['/drip', '/silent'])('%s times out', async (path) => {
  expect((await failureOf(get(path, { timeoutMs: 200 })))?.message).toContain('within 0.2 seconds')
})

test('an abort rejects with its reason', async () => {
  const reason = new Error('no longer needed')
  const aborting = new AbortController()
  setTimeout(() => aborting.abort(reason), 50)
  expect(await failureOf(get('/silent', { signal: aborting.signal }))).toBe(reason)
})

test('a bad certificate, a closed port and an unknown host name are explained', async () => {
  const nobody = createNet({
    allowPrivateNetwork: true,
    resolveName: (name, _options, callback) =>
      callback(Object.assign(new Error(name), { code: 'ENOTFOUND' }), []),
  })
  const fail = (address: string) =>
    failureOf(
      fetchBounded(nobody, address, { bytesMax: 1, timeoutMs: 5_000, signal: new AbortController().signal }),
    )
  expect((await fail(origin.replace('http:', 'https:')))?.message).toContain('cannot be reached securely')
  expect((await fail('http://127.0.0.1:1/'))?.message).toContain('cannot be reached, or closed')
  expect((await fail('http://gone.example/'))?.message).toContain('host name gone.example cannot be resolved')
  await nobody.close()
})

describe('a redirect', () => {
  const to = (address: string) => `/to/${encodeURIComponent(address)}`

  test('is followed, and request headers are sent only to the first origin', async () => {
    const { port } = new URL(origin)
    const elsewhere = `http://elsewhere.example:${port}/text`
    const before = requests.length
    const answer = await get(to(`${origin}${to(elsewhere)}`), { headers: { 'if-none-match': '"1"' } })
    expect(answer).toMatchObject({ url: elsewhere, body: TEXT })
    expect(requests.slice(before).map(({ headers }) => headers['if-none-match'])).toEqual([
      '"1"',
      '"1"',
      undefined,
    ])
  })

  test('can be refused by the caller', async () => {
    const refusal = new Error('not there')
    const onRedirect = (url: string) => Promise.reject(url === `${origin}/text` ? refusal : null)
    const before = requests.length
    expect(await failureOf(get(to('/text'), { onRedirect }))).toBe(refusal)
    expect(requests).toHaveLength(before + 1)
  })

  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://0xa9fea9fe/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'http://user:secret@elsewhere.example/',
  ])('to %s is refused', async (location) => {
    const before = requests.length
    expect(await failureOf(get(to(location)))).toBeInstanceOf(NetError)
    expect(requests).toHaveLength(before + 1)
  })
})

describe('without private addresses', () => {
  const ask = (address: string, asking = strict) =>
    failureOf(
      fetchBounded(asking, address, {
        bytesMax: 1_000,
        timeoutMs: 5_000,
        signal: new AbortController().signal,
      }),
    )

  test('no connection is made for any spelling or for a rebinding name', async () => {
    let connections = 0
    server.on('connection', () => connections++)
    const { port } = new URL(origin)
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]', '2130706433'])
      expect(await ask(`http://${host}:${port}/text`)).toBeInstanceOf(NetError)
    let lookups = 0
    // The first lookup returns an allowed address where no server runs. The second lookup returns the server's
    // address.
    const rebinding = createNet({
      allowPrivateNetwork: ['127.0.0.2'],
      resolveName: (_name, _options, callback) =>
        callback(null, [{ address: lookups++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }]),
    })
    expect(await ask(`http://rebinding.example:${port}/text`, rebinding)).toBeInstanceOf(FetchError)
    expect(lookups).toBe(1)
    expect(await ask(`http://rebinding.example:${port}/text`, rebinding)).toBeInstanceOf(NetError)
    expect(connections).toBe(0)
    await rebinding.close()
  })
})

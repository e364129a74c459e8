import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BUILD_PROGRAM, type ConsoleFolder, makeConsoleFolder } from '#tests/support/console-folder.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { fingerprint } from '../../console/built-from.ts'

/** The console over HTTP: pages, files, protection headers, and the responses before it is built. */

const SCRIPT = 'console.log("Parley")\n'.repeat(100)
const PAGE = '<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><title>Parley</title>'
const DIST = {
  'dist/index.html': PAGE,
  'dist/built-from': 'something',
  'dist/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'dist/robots.txt': 'User-agent: *\n',
  'dist/manifest.webmanifest': '{}',
  'dist/assets/index-B1.js': SCRIPT,
  'dist/assets/index-B1.js.br': brotliCompressSync(SCRIPT),
  'dist/assets/index-B1.js.gz': gzipSync(SCRIPT),
  'dist/assets/index-B1.js.map': '{}',
  'dist/assets/index-C2.css': 'body{}',
  'dist/assets/font-D3.woff2': 'wOF2',
  'secret.js': 'secret',
}
/** The Accept header of a browser's navigation. */
const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

interface Sent {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
}

const folders: ConsoleFolder[] = []
const servers: TestServer[] = []
let server: TestServer

beforeAll(async () => {
  server = await start(DIST, { RATE_LIMIT_IP_PER_MINUTE: '1000' })
})
afterAll(async () => {
  await Promise.all(servers.map((one) => one.stop()))
  for (const folder of folders) folder.remove()
})

/** @param program the program that builds the console */
async function start(
  files: Record<string, string | Buffer>,
  environment: Record<string, string> = {},
  program?: string,
): Promise<TestServer & ConsoleFolder> {
  const folder = makeConsoleFolder(program === undefined ? files : { ...files, 'program.ts': program })
  folders.push(folder)
  const place = {
    folder: folder.folder,
    program: program === undefined ? BUILD_PROGRAM : join(folder.folder, 'program.ts'),
  }
  const started = await startTestServer(environment, { console: place })
  servers.push(started)
  return { ...started, ...folder }
}

/** Sends a verbatim request: `fetch` would normalize the path and decompress. */
const ask = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  of = server,
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(of.url)
    request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text: bytes.toString(),
        })
      })
    })
      .on('error', reject)
      .end()
  })

const visit = (path: string, of = server): Promise<Sent> => ask(path, { accept: NAVIGATION }, 'GET', of)

const nonceOf = ({ headers }: Sent): string =>
  /'nonce-([^']+)'/.exec(headers['content-security-policy'] as string)?.[1] ?? ''

/** Returns the status and the media type, which differs between browsers and programs. */
const kindOf = ({ status, headers }: Sent): string =>
  `${status} ${String(headers['content-type']).split(';')[0]}`

describe('the page', () => {
  test('has a policy with a unique nonce for each response', async () => {
    const [one, other] = await Promise.all([visit('/'), visit('/')])
    expect(kindOf(one)).toBe('200 text/html')
    const nonce = nonceOf(one)
    expect(nonce).toMatch(/^[\w-]{22}$/)
    expect(one.text).toBe(PAGE.replace('__NONCE__', nonce))
    expect(nonceOf(other)).not.toBe(nonce)
    expect(other.text).toBe(PAGE.replace('__NONCE__', nonceOf(other)))
    expect(one.headers).toMatchObject({
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; ` +
        "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; " +
        "connect-src 'self' ws://parley.test; frame-src 'self'; form-action 'self'; base-uri 'none'; " +
        "frame-ancestors 'none'; object-src 'none'",
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': expect.stringContaining('microphone=(self)'),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': '1000',
      vary: 'Accept',
    })
  })

  test('may load media from the bucket of files, and connect only to its own server', async () => {
    const bucket = await start(DIST, {
      BASE_URL: 'https://chat.example:8443/parley',
      S3_BUCKET: 'files',
      S3_ENDPOINT: 'https://storage.example/path',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    })
    const { headers } = await visit('/', bucket)
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toContain("img-src 'self' data: blob: https://storage.example")
    expect(policy).toContain("media-src 'self' data: blob: https://storage.example")
    expect(policy).toContain("connect-src 'self' wss://chat.example:8443")
  })

  test.each([
    '/chats/0198',
    '/mcp/callback?mcp_server_id=a&flow_type=chat',
    '/reset_password?token=x',
    '/apiary',
    '/filesystem',
    '/.hidden',
    '/a/b/c.js',
  ])('is served at %s', async (path) => {
    expect(kindOf(await visit(path))).toBe('200 text/html')
    expect(kindOf(await ask(path, { accept: '*/*' }))).toBe('404 application/json')
    expect(kindOf(await ask(path, { accept: 'application/json' }))).toBe('404 application/json')
    expect(kindOf(await ask(path))).toBe('404 application/json')
    expect(kindOf(await ask(path, { accept: NAVIGATION }, 'POST'))).toBe('404 application/json')
  })

  test.each([
    [undefined, 200],
    ['*/*', 200],
    ['text/html', 200],
    ['text/html;q=0', 404],
    ['application/json', 404],
    ['application/json, text/html;q=0.9', 404],
    ['image/png', 404],
  ])('at / with Accept %j gets %i', async (accept, status) => {
    expect((await ask('/', accept === undefined ? {} : { accept })).status).toBe(status)
  })

  test('responds to HEAD', async () => {
    const head = await ask('/chats', { accept: NAVIGATION }, 'HEAD')
    expect([kindOf(head), head.text]).toEqual(['200 text/html', ''])
    expect(nonceOf(head)).toMatch(/^[\w-]{22}$/)
    expect(Number(head.headers['content-length'])).toBeGreaterThan(PAGE.length)
  })

  test.each([
    '/api',
    '/api/nothing',
    '/%61pi/nothing',
    '/v1/nothing',
    '/openai/v1/nothing',
    '/files/nothing',
    '/embed',
    '/oauth/nothing',
    '/mcp/other',
    '/mcp/callback/more',
    '/.well-known/nothing',
    '/dev/mail',
    '/assets',
    '/assets/',
    '/assets/nothing.js',
  ])('is not served at %s', async (path) => {
    const answer = await visit(path)
    expect([403, 404]).toContain(answer.status)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.headers['content-security-policy']).not.toContain('nonce')
  })
})

describe('files', () => {
  test('of a build are cached forever, compressed as accepted, and exempt from rate limits', async () => {
    const path = '/assets/index-B1.js'
    const [plain, gzip, brotli, none, head] = await Promise.all([
      ask(path),
      ask(path, { 'accept-encoding': 'gzip, deflate' }),
      ask(path, { 'accept-encoding': 'gzip, deflate, br, zstd' }),
      ask(path, { 'accept-encoding': 'br;q=0, gzip;q=0' }),
      ask(path, { 'accept-encoding': 'br' }, 'HEAD'),
    ])
    expect(plain.text).toBe(SCRIPT)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(plain.headers['x-ratelimit-limit']).toBeUndefined()
    expect(gzip.bytes).toEqual(DIST['dist/assets/index-B1.js.gz'])
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(brotli.bytes).toEqual(DIST['dist/assets/index-B1.js.br'])
    expect(brotli.headers['content-encoding']).toBe('br')
    expect([none.text, none.headers['content-encoding']]).toEqual([SCRIPT, undefined])
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(brotli.bytes.length),
    ])
  })

  test('have content types, and those without a hash in their names are revalidated', async () => {
    const types = async (path: string): Promise<unknown[]> => {
      const { status, headers } = await ask(path)
      return [status, headers['content-type'], headers['cache-control']?.includes('immutable')]
    }
    expect(await types('/assets/index-C2.css')).toEqual([200, 'text/css; charset=utf-8', true])
    expect(await types('/assets/font-D3.woff2')).toEqual([200, 'font/woff2', true])
    expect(await types('/favicon.svg')).toEqual([200, 'image/svg+xml', false])
    expect(await types('/manifest.webmanifest')).toEqual([
      200,
      'application/manifest+json; charset=utf-8',
      false,
    ])
    expect(await types('/robots.txt')).toEqual([200, 'text/plain; charset=utf-8', false])
  })

  test.each([
    '/assets/index-B1.js.map',
    '/assets/index-B1.js.br',
    '/assets/index-B1.js.gz',
    '/assets/../../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..\\..\\secret.js',
    '/assets/index-B1.js%00',
    '/../secret.js',
    '/..%2fsecret.js',
    '//secret.js',
    '/built-from',
    '/index.html',
  ])('outside the console are not served: %s', async (path) => {
    const answer = await ask(path)
    expect(kindOf(answer)).toBe('404 application/json')
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

describe('without a built console', () => {
  const BUILDING = { CONSOLE_BUILD: '1' }
  const BUILD = { timeout: 60_000, interval: 50 }

  test('a page reloads until the build is done, while the API is available', async () => {
    const slow = await start(
      {},
      BUILDING,
      `import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
       const folder = process.argv[2]
       setInterval(() => {
         if (!existsSync(folder + '/go')) return
         mkdirSync(folder + '/dist')
         writeFileSync(folder + '/dist/index.html', ${JSON.stringify(PAGE)})
         process.exit()
       }, 20)`,
    )
    await vi.waitFor(
      async () => expect((await visit('/', slow)).text).toContain('Building the console'),
      BUILD,
    )
    const waiting = await visit('/chats/1', slow)
    expect(kindOf(waiting)).toBe('503 text/html')
    expect(waiting.headers).toMatchObject({ 'retry-after': '3', 'cache-control': 'no-store' })
    expect(waiting.text).toContain('<meta http-equiv="refresh" content="3">')
    expect(waiting.text).not.toContain('<script')
    expect(waiting.text).toContain(`<style nonce="${nonceOf(waiting)}">`)
    expect(waiting.headers['content-security-policy']).toContain("default-src 'none'")
    expect(kindOf(await visit('/api/nothing', slow))).toBe('404 application/json')
    expect((await slow.call('GET', '/readyz')).status).toBe(200)
    slow.write({ go: '' })
    await vi.waitFor(async () => expect((await visit('/chats/1', slow)).status).toBe(200), BUILD)
  })

  test("a failed build shows its error without the project's path, and a later build is served", async () => {
    const failed = await start(
      {},
      BUILDING,
      `process.stderr.write('\\nBuild failed with 1 error:\\n<b> in ' + process.argv[2] + '/src/main.tsx\\nmore')
       process.exitCode = 1`,
    )
    await vi.waitFor(async () => expect((await visit('/', failed)).text).toContain('main.tsx'), BUILD)
    const page = await visit('/', failed)
    expect(kindOf(page)).toBe('503 text/html')
    expect(page.text).toContain('<code>&#60;b&#62; in ./console/src/main.tsx</code>')
    expect(page.text).toContain('npm run console')
    expect(page.text).not.toContain('refresh')
    failed.write({ 'dist/index.html': PAGE, 'dist/built-from': await fingerprint(failed.folder) })
    await vi.waitFor(async () => expect((await visit('/', failed)).status).toBe(200), BUILD)
  })

  test("a server that doesn't build the console explains how to build it", async () => {
    const none = await start({})
    const page = await visit('/', none)
    expect(kindOf(page)).toBe('503 text/html')
    expect(page.text).toContain('It has not been built.')
    expect(page.text).toContain('npm run console')
    const confirm = await visit('/connections/confirm', none)
    expect([kindOf(confirm), confirm.text]).toEqual([
      '503 text/html',
      expect.stringContaining('The console is missing'),
    ])
  })

  test('stopping the server ends the build', async () => {
    const endless = await start(
      {},
      BUILDING,
      `import { writeFileSync } from 'node:fs'
       writeFileSync(process.argv[2] + '/pid', String(process.pid))
       setInterval(() => {}, 1_000)`,
    )
    const pid = await vi.waitFor(() => {
      const text = readFileSync(join(endless.folder, 'pid'), 'utf8')
      expect(text).toMatch(/^\d+$/)
      return Number(text)
    }, BUILD)
    servers.splice(
      servers.findIndex(({ url }) => url === endless.url),
      1,
    )
    await endless.stop()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})

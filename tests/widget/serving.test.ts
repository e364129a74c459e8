import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { runInNewContext } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWidgetServer, type WidgetServer } from '#tests/support/widget-stage.ts'

const LOADER_BYTES_MAX = 3 * 1024
const FRAME_BYTES_MAX = 60 * 1024

let server: WidgetServer
beforeAll(async () => {
  server = await startWidgetServer()
})
afterAll(() => server.stop())

interface Sent {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Returns the bytes on the wire, which `fetch` would decompress. */
const get = (path: string, encoding?: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const headers = encoding === undefined ? {} : { 'accept-encoding': encoding }
    request(server.url + path, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      )
    })
      .on('error', reject)
      .end()
  })

const assetsOf = (page: Sent): string[] =>
  [...page.body.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)

test('keeps the loader small, and the frame with all its resources', async () => {
  const id = await server.deploy({ branding: { company_name: 'A company with a rather long name' } })
  const loader = await get(`/widget.js?deployment=${id}`, 'gzip')
  expect(loader.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'Accept-Language, Accept-Encoding',
  })
  expect(loader.body.length).toBeLessThanOrEqual(LOADER_BYTES_MAX)
  const page = await get(`/embed/${id}`)
  const assets = await Promise.all(assetsOf(page).map((path) => get(path, 'br, gzip')))
  expect(assets.map(({ headers }) => headers['content-type'])).toEqual([
    'text/css; charset=utf-8',
    'text/javascript; charset=utf-8',
  ])
  const bytes = assets.reduce((sum, { body }) => sum + body.length, page.body.length)
  expect(bytes).toBeLessThanOrEqual(FRAME_BYTES_MAX)
})

test('names assets by their content, caches them forever, and compresses them only for clients that accept it', async () => {
  const [path = ''] = assetsOf(await get(`/embed/${await server.deploy()}`))
  const [plain, zipped, refused] = await Promise.all([
    get(path),
    get(path, 'gzip'),
    get(path, 'gzip;q=0, br'),
  ])
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(gunzipSync(zipped.body)).toEqual(plain.body)
  expect(refused.body).toEqual(plain.body)
  expect((await get('/embed/assets/frame-0000.js')).status).toBe(404)
})

test('declares which sites may embed the page and what it may do', async () => {
  const config = {
    allowed_origins: ['https://company.example', 'http://localhost:8080'],
    branding: { logo_url: 'https://images.example/logo.png?size=1', company_name: 'A & B <script>' },
    welcome_message: '"Hello" <b>\'there\'</b>',
  }
  const { headers, body, status } = await get(`/embed/${await server.deploy(config)}`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
      "img-src 'self' data: https://images.example; " +
      "frame-ancestors 'self' https://company.example http://localhost:8080; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'permissions-policy': expect.stringContaining('microphone=()'),
    'cache-control': 'no-cache',
  })
  expect(headers['x-frame-options']).toBeUndefined()
  const text = body.toString()
  expect(text).not.toContain('<b>')
  expect(text.match(/<script/g)).toHaveLength(1)
  const everywhere = await get(`/embed/${await server.deploy()}`)
  expect(everywhere.headers['content-security-policy']).toContain('frame-ancestors *;')
  // Only the console shows a preview, also of logos that are not saved yet.
  const preview = (await get(`/embed/${await server.deploy(config)}?preview`)).headers[
    'content-security-policy'
  ]
  expect(preview).toContain("img-src 'self' data: https:; frame-ancestors 'self';")
})

test('reports an unknown or paused deployment without a script', async () => {
  const paused = await server.deploy()
  await server.pause(paused)
  for (const [id, status, sentence] of [
    [randomUUID(), 404, 'no longer exists'],
    ['not-an-id', 404, 'no longer exists'],
    [paused, 403, 'closed right now'],
  ] as const) {
    const page = await get(`/embed/${id}`)
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(page.body.toString()).toContain(sentence)
    expect(page.body.toString()).not.toContain('<script')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")

    const loader = await get(`/widget.js?deployment=${id}`)
    expect(loader.status).toBe(status === 404 ? 404 : 200)
    expect(loader.headers['content-type']).toBe('text/javascript; charset=utf-8')
    // On a page without the loader's script element, it does nothing.
    expect(() => runInNewContext(loader.body.toString())).not.toThrow()
  }
  expect((await get('/widget.js')).status).toBe(404)
  expect((await get('/widget.js?deployment=a&deployment=b')).status).toBe(404)
})

test('serves a loader that is always current for its deployment, and that any page may use', async () => {
  const id = await server.deploy({
    theme: { primary_color: '#0f766e' },
    widget_placement: 'bottom-left',
    branding: { company_name: '"); alert(1); ("' },
  })
  const { headers, body } = await get(`/widget.js?deployment=${id}`)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
  })
  const look = JSON.parse(body.toString().split('})(').at(-1)?.slice(0, -1) ?? '')
  expect(look).toEqual({
    deploymentId: id,
    label: 'Chat with "); alert(1); ("',
    color: '#0f766e',
    side: 'left',
  })
})

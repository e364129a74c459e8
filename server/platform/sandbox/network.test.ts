import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { openTestSandbox } from '#tests/support/sandbox.ts'
import type { Language } from './sandbox.ts'

/**
 * Tests that sandboxed code reaches only its listed hosts, and only through this process. In these tests, names that
 * end in .example resolve to this machine.
 */

interface Seen {
  method: string
  url: string
  host: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
const seen: Seen[] = []
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url = '', headers } = request
  seen.push({ method, url, host: headers.host ?? '', headers, body: Buffer.concat(chunks).toString() })
  const [, what = '', rest = ''] = url.split('/')
  if (what === 'json') response.setHeader('content-type', 'application/json').end('{"a":[1,"é"]}')
  else if (what === 'gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('packed'))
  else if (what === 'to') response.writeHead(302, { location: decodeURIComponent(rest) }).end()
  else if (what === 'big') response.end(Buffer.alloc(3_000_000, 'x'))
  else if (what === 'slow') setTimeout(() => response.end('slow'), 200)
  else response.writeHead(404).end('missing')
})
let port = 0
const { run, close } = openTestSandbox({ clockMs: 15_000 })
const strict = openTestSandbox({}, { net: createNet({ allowPrivateNetwork: false }) })
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  await run('python', 'def main(): pass')
}, 120_000)
afterAll(async () => {
  await Promise.all([close(), strict.close()])
  server.close()
})
beforeEach(() => {
  seen.length = 0
})

const asks = (language: Language, code: string, path: string, hosts: string[] = [`api.example:${port}`]) =>
  run(language, code, { network: hosts, input: { url: `http://api.example:${port}/${path}` } })
const GET_TEXT =
  'async function main({ url }) { const response = await fetch(url); return [response.status, await response.text(), response.url] }'

describe('JavaScript', () => {
  test('reads JSON', async () => {
    const code =
      'async function main({ url }) { const response = await fetch(url); return [response.ok, response.headers.get("content-type"), await response.json()] }'
    expect(await asks('javascript', code, 'json')).toMatchObject({
      ok: true,
      output: [true, 'application/json', { a: [1, 'é'] }],
    })
  })

  test('sends a method, a body and headers, but no connection headers', async () => {
    const code =
      'async function main({ url }) { return (await fetch(url, { method: "POST", body: JSON.stringify({ a: 1 }), headers: { "X-Key": "k", Host: "other.example", "Content-Length": "5" } })).status }'
    expect(await asks('javascript', code, 'post')).toMatchObject({ ok: true, output: 404 })
    expect(seen).toMatchObject([
      { method: 'POST', body: '{"a":1}', host: `api.example:${port}`, headers: { 'x-key': 'k' } },
    ])
  })

  test('decompresses responses and passes on any status', async () => {
    expect(await asks('javascript', GET_TEXT, 'gzip')).toMatchObject({
      output: [200, 'packed', expect.anything()],
    })
    expect(await asks('javascript', GET_TEXT, 'nothing')).toMatchObject({
      output: [404, 'missing', expect.anything()],
    })
  })

  test('follows redirects within the allowlist', async () => {
    expect(await asks('javascript', GET_TEXT, `to/${encodeURIComponent('/json')}`)).toMatchObject({
      output: [200, '{"a":[1,"é"]}', `http://api.example:${port}/json`],
    })
  })

  test.each([
    ['another host', 'http://other.example/json', /other\.example is not in this tool's network list/],
    [
      'the local machine',
      'http://127.0.0.1:PORT/json',
      /127\.0\.0\.1:\d+ is not in this tool's network list/,
    ],
    ['another port', 'http://api.example/json', /api\.example is not in this tool's network list/],
    ['a file', 'file:///etc/passwd', /Use https:\/\/ or http:\/\//],
  ])('does not follow a redirect to %s', async (_what, target, refusal) => {
    const location = target.replace('PORT', String(port))
    const outcome = await asks('javascript', GET_TEXT, `to/${encodeURIComponent(location)}`)
    expect(outcome).toMatchObject({ ok: false, reason: 'failed', error: expect.stringMatching(refusal) })
    expect(seen).toHaveLength(1)
  })

  test('gets at most 2 MB per response and 50 responses', async () => {
    expect(await asks('javascript', GET_TEXT, 'big')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/larger than 2 MB/),
    })
    seen.length = 0
    const many = 'async function main({ url }) { for (let n = 0; n < 60; n++) await fetch(url) }'
    expect(await asks('javascript', many, 'json')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/at most 50 HTTP requests/),
    })
    expect(seen).toHaveLength(50)
  })

  test('has no network access without an allowlist', async () => {
    expect(await asks('javascript', GET_TEXT, 'json', [])).toMatchObject({
      ok: false,
      error: expect.stringMatching(/This tool has no network access/),
    })
    expect(seen).toEqual([])
  })
})

test('a listed host with a private address stays unreachable', async () => {
  const url = `http://127.0.0.1:${port}/json`
  const outcome = await strict.run('javascript', GET_TEXT, { input: { url }, network: [`127.0.0.1:${port}`] })
  expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(/not a public address/) })
  expect(seen).toEqual([])
})

describe('Python', () => {
  test('reads with urllib', async () => {
    const code =
      'import json, urllib.request\ndef main(url):\n  with urllib.request.urlopen(urllib.request.Request(url, data=b"x", headers={"X-Key": "k"})) as answer:\n    return [answer.status, answer.headers["Content-Type"], json.load(answer)]'
    expect(await asks('python', code, 'json')).toMatchObject({
      ok: true,
      output: [200, 'application/json', { a: [1, 'é'] }],
    })
    expect(seen).toMatchObject([{ method: 'POST', body: 'x', headers: { 'x-key': 'k' } }])
  })

  test('reads with pyfetch, several requests concurrently', async () => {
    const code =
      'import asyncio, time\nfrom pyodide.http import pyfetch\nasync def main(url):\n  begin = time.time()\n  answers = await asyncio.gather(*[pyfetch(url) for _ in range(10)])\n  return [[await answer.string() for answer in answers], time.time() - begin]'
    const outcome = await asks('python', code, 'slow')
    expect(outcome).toMatchObject({ ok: true, output: [Array(10).fill('slow'), expect.any(Number)] })
    expect(seen).toHaveLength(10)
  })

  test('sees why a host is refused, and any HTTP status', async () => {
    const code = 'import urllib.request\ndef main(url):\n  return urllib.request.urlopen(url).read()'
    expect(await asks('python', code, 'json', ['b.example'])).toMatchObject({
      ok: false,
      error: expect.stringMatching(/api\.example:\d+ is not in this tool's network list/),
    })
    expect(await asks('python', code, 'nothing')).toMatchObject({
      ok: false,
      error: expect.stringMatching(/HTTP Error 404/),
    })
    const elsewhere = `to/${encodeURIComponent(`http://127.0.0.1:${port}/json`)}`
    seen.length = 0
    expect(await asks('python', code, elsewhere)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/127\.0\.0\.1:\d+ is not in this tool's network list/),
    })
    expect(seen).toHaveLength(1)
  })
})

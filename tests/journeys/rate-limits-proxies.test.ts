import { afterEach, expect, test } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The address that a request counts for: the socket's, unless TRUST_PROXY says otherwise (docs/limits.md). */

const LIMIT = 500
const KEYS = '/.well-known/jwks.json'

let server: TestServer
afterEach(() => server.stop())

const start = async (trustProxy?: string): Promise<void> => {
  server = await startTestServer({
    RATE_LIMIT_IP_PER_MINUTE: String(LIMIT),
    ...(trustProxy !== undefined && { TRUST_PROXY: trustProxy }),
  })
}
const used = ({ headers }: Pick<Answer, 'headers'>): number =>
  LIMIT - Number(headers.get('x-ratelimit-remaining'))
/** Sends a request with this header. Returns how many requests have counted for its address, including this one. */
const countFor = async (forwarded?: string): Promise<number> =>
  used(
    await server.call('GET', KEYS, {
      ...(forwarded !== undefined && { headers: { 'x-forwarded-for': forwarded } }),
    }),
  )

/** Malformed values, some of which real proxies send. */
const MALFORMED = [
  'unknown',
  '',
  ',',
  ', ,',
  '_hidden',
  '999.1.1.1',
  '1.2.3',
  '[::1',
  '::ffff:999.0.0.1',
  '"><script>',
  'a'.repeat(10_000),
  Array.from({ length: 2_000 }, () => 'x').join(','),
]

test('without TRUST_PROXY, no header changes the address', async () => {
  await start()
  let count = 0
  for (const forwarded of ['203.0.113.1', '203.0.113.2, 203.0.113.3', '::1', ...MALFORMED])
    expect(await countFor(forwarded)).toBe(++count)
  for (const name of ['forwarded', 'x-real-ip', 'client-ip', 'cf-connecting-ip', 'true-client-ip'])
    expect(used(await server.call('GET', KEYS, { headers: { [name]: '203.0.113.9' } }))).toBe(++count)
  const person = await server.signUp()
  const { body } = await server.call('GET', '/api/auth/sessions', {
    token: person.token,
    headers: { 'x-forwarded-for': '203.0.113.1' },
  })
  expect(JSON.stringify(body)).toContain('127.0.0.1')
})

test('with one hop, the last address counts, and earlier ones are ignored', async () => {
  await start('1')
  expect(await countFor('203.0.113.1')).toBe(1)
  expect(await countFor('198.51.100.7, 203.0.113.1')).toBe(2)
  expect(await countFor('a, 198.51.100.8 ,\t203.0.113.1')).toBe(3)
  expect(await countFor('203.0.113.1:4711')).toBe(4)
  expect(await countFor('203.0.113.1, 203.0.113.2')).toBe(1)
  const lines = ['198.51.100.9', '203.0.113.1'].map((hop) => `X-Forwarded-For: ${hop}\r\n`).join('')
  const raw = await sendRaw(server.url, `GET ${KEYS} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`)
  expect((await raw.answer()).text.toLowerCase()).toContain(`x-ratelimit-remaining: ${LIMIT - 5}\r\n`)
  raw.socket.destroy()
  const unrouted = await server.call('GET', '/%zz', { headers: { 'x-forwarded-for': '203.0.113.1' } })
  expect(used(unrouted)).toBe(6)
})

test("an invalid address counts as the proxy's address", async () => {
  await start('1')
  let count = await countFor()
  for (const forwarded of MALFORMED) {
    expect(await countFor(forwarded)).toBe(++count)
    expect(await countFor(`203.0.113.1, ${forwarded || 'x'}`)).toBe(++count)
  }
})

test('with two hops, the second last address counts, or the last if a proxy was skipped', async () => {
  await start('2')
  expect(await countFor('203.0.113.1, 192.0.2.1')).toBe(1)
  expect(await countFor('198.51.100.7, 203.0.113.1, 192.0.2.1')).toBe(2)
  expect(await countFor('192.0.2.1')).toBe(1)
  expect(await countFor('192.0.2.1')).toBe(2)
})

test('with address blocks, the last address outside of them counts', async () => {
  await start('127.0.0.0/8,10.0.0.0/8,fd00::/8')
  expect(await countFor('203.0.113.1')).toBe(1)
  expect(await countFor('198.51.100.7, 203.0.113.1, 10.1.2.3, fd00::1')).toBe(2)
  expect(await countFor('::ffff:203.0.113.1, ::ffff:10.1.2.3')).toBe(3)
  expect(await countFor('203.0.113.1, 192.0.2.1, 10.1.2.3')).toBe(1)
  expect(await countFor('203.0.113.1, garbage, 10.1.2.3')).toBe(1)
  expect(await countFor('10.1.2.3')).toBe(2)
  for (const forwarded of MALFORMED) await countFor(forwarded)
  expect(await countFor('203.0.113.1')).toBe(4)
  expect(await countFor('203.0.113.1, fd00::1%br-3f2a')).toBe(5)
})

test('a sender outside the blocks is the client, regardless of its headers', async () => {
  await start('10.0.0.0/8')
  let count = 0
  for (const forwarded of ['203.0.113.1', '203.0.113.2', '10.0.0.1', '203.0.113.3, 10.0.0.1'])
    expect(await countFor(forwarded)).toBe(++count)
})

test('IPv6 addresses count by network', async () => {
  await start('1')
  expect(await countFor('2001:db8:1:2::1')).toBe(1)
  expect(await countFor('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(2)
  expect(await countFor('[2001:DB8:0001:2::3]:443')).toBe(3)
  expect(await countFor('2001:db8:1:3::1')).toBe(1)
  expect(await countFor('fe80::1%eth0')).toBe(1)
  expect(await countFor('fe80::2%br-3f2a')).toBe(2)
  expect(await countFor('::ffff:203.0.113.5')).toBe(1)
  expect(await countFor('203.0.113.5')).toBe(2)
})

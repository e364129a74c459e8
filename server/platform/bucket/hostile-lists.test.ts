import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  bucketAt,
  bucketFailureOf,
  type ListedEntry,
  listEntry,
  listKeys,
  listPage,
  listRoot,
} from '#tests/support/bucket-server.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type Answer, send, startWebsite, type Website } from '#tests/support/website.ts'
import { type Bucket, KEYS_MAX } from './bucket.ts'

/** Tests listings of malicious servers. */

const net = createExampleNet()
let server: Website
let bucket: Bucket
beforeAll(async () => {
  server = await startWebsite()
})
beforeEach(() => {
  server.pages = {}
  server.asked.length = 0
  bucket = bucketAt(server)
})
afterAll(async () => {
  await net.close()
  await server.close()
})

const list = (more: Partial<Bucket> = {}) => listKeys(net, { ...bucket, ...more })
const xml = (body: string | Buffer): Answer => send('application/xml', body)
/** Responds to each request with the page that `next` returns for the request's number. */
const pages =
  (next: (visit: number) => string): Answer =>
  (response) =>
    void response.writeHead(200).end(next(server.asked.length - 1))

const LOLS = `<!DOCTYPE lol [<!ENTITY a "lol">${Array.from({ length: 9 }, (_, level) => `<!ENTITY a${level} "${`&a${level || ''};`.repeat(10)}">`).join('')}]>`

test.each<[string, string | Buffer, RegExp]>([
  [
    'is not a list',
    '<html><body>Welcome</body></html>',
    /it is not a ListBucketResult. Check that the endpoint/,
  ],
  ['is empty', '', /it is not XML/],
  ['is text', 'Hello', /it is not XML/],
  ['breaks off', listPage([{ key: 'a' }]).slice(0, -5), /it is incomplete/],
  ['breaks off between elements', '<ListBucketResult><IsTruncated>false</IsTruncated>', /it is incomplete/],
  ['has crossed tags', '<ListBucketResult><Contents></ListBucketResult></Contents>', /tags do not match/],
  ['has two documents', listPage([]) + listPage([]), /more than one document/],
  ['is an entity bomb', `${LOLS}${listPage([{ key: '&a9;' }])}`, /unsupported XML/],
  ['uses an undeclared entity', listPage([{ key: '&a9;' }]), /an unknown entity/],
  [
    'reads a file through an entity',
    `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${listPage([{ key: '&f;' }])}`,
    /unsupported XML/,
  ],
  ['has an unpaired surrogate', listPage([{ key: '&#xD800;' }]), /an unknown entity/],
  ['has a code point out of range', listPage([{ key: '&#x110000;' }]), /an unknown entity/],
  ['has a CDATA section', listPage([{ key: '<![CDATA[a]]>' }]), /unsupported XML/],
  ['is nested too deep', listRoot('<a>'.repeat(500_000)), /nested too deeply/],
  ['is not UTF-8', Buffer.from([0x3c, 0xff, 0x3e]), /it is not UTF-8 text/],
  ['is too large', Buffer.alloc(5_000_001, '<'), /larger than 5 MB/],
  ['has only elements', listRoot('<a/>'.repeat(1_200_000)), /too many elements/],
  ['has only text', listRoot(`<a>${'a'.repeat(10_001)}</a>`), /a text that is too long/],
  ['has only ampersands', listRoot('&amp;'.repeat(980_000)), /a text that is too long/],
  ['has an entry without a key', listRoot('<Contents></Contents>'), /an invalid key/],
  ['has a key that is too long', listPage([{ key: 'a'.repeat(1_025) }]), /an invalid key/],
  ['has NUL in a key', listPage([{ key: 'a\0' }]), /it is not XML/],
  [
    'has an encoded NUL in a key',
    listRoot(`<EncodingType>url</EncodingType>${listEntry({ key: 'a%00' })}`),
    /an invalid key/,
  ],
  [
    'has an invalid encoding',
    listRoot(`<EncodingType>url</EncodingType>${listEntry({ key: '%FF' })}`),
    /an invalid key/,
  ],
  ['repeats a key', listPage([{ key: 'a' }, { key: 'b' }, { key: 'a' }]), /a key twice/],
  ['has a negative size', listPage([{ size: '-1' }]), /an invalid size/],
  ['has an infinite size', listPage([{ size: '9'.repeat(400) }]), /an invalid size/],
  ['has an absurd size', listPage([{ size: '999999999999999' }]), /an invalid size/],
  ['has an entry without a size', listPage([{ size: '' }]), /an invalid size/],
  ['has an entry with an invalid time', listPage([{ time: 'yesterday' }]), /an invalid time/],
  ['has a time out of range', listPage([{ time: '+275760-01-01T00:00:00Z' }]), /an invalid time/],
  ['is truncated without a token', listPage([{ key: 'a' }], ''), /no continuation token/],
  ['has a token that is too long', listPage([{ key: 'a' }], 'x'.repeat(4_097)), /no continuation token/],
  ['has a broken entity', listPage([{ key: '&amp' }]), /an unknown entity/],
  ['repeats a token', listPage([], 'same'), /out of order/],
  ['goes back in order', listPage([{ key: 'a' }], 'next'), /out of order/],
])('a list that %s is refused', async (_what, body, sentence) => {
  server.pages = { '/files': xml(body) }
  const failure = await bucketFailureOf(list())
  expect([failure.message, failure.canTryAgain]).toEqual([expect.stringMatching(sentence), false])
  expect(server.asked.length).toBeLessThanOrEqual(2)
})

test('a list with keys outside the prefix is refused', async () => {
  server.pages = { '/files': xml(listPage([{ key: 'private/a' }])) }
  expect((await bucketFailureOf(list({ prefix: 'public/' }))).message).toMatch(/a key outside the prefix/)
})

test('a page in another order is sorted, and a token without more pages is not followed', async () => {
  const keys = ['b', 'a&amp;', '&#x61;', '&quot;&apos;&lt;&gt;'].map(entryOf).join('')
  server.pages = {
    '/files': xml(
      `\ufeff<?xml version="1.0"?>${listRoot(`${keys}<NextContinuationToken>x</NextContinuationToken><IsTruncated>false</IsTruncated><More/>`)}`,
    ),
  }
  expect(await list()).toEqual([`"'<>`, 'a', 'a&', 'b'])
  expect(server.asked).toHaveLength(1)
})
const entryOf = (key: string): string => listEntry({ key })

test('an endless list without keys is given up', async () => {
  server.pages = { '/files': pages((visit) => listPage([], `token ${visit}`)) }
  expect((await bucketFailureOf(list())).message).toMatch(/out of order/)
  expect(server.asked).toHaveLength(1_000)
})

test('a list of 100,000 keys is read, and a longer one is refused', async () => {
  const thousand = (visit: number): ListedEntry[] =>
    Array.from({ length: 1_000 }, (_, place) => ({
      key: `k${String(visit * 1_000 + place).padStart(7, '0')}`,
    }))
  server.pages = {
    '/files': pages((visit) => listPage(thousand(visit), visit < 99 ? String(visit) : undefined)),
  }
  expect(await list()).toHaveLength(KEYS_MAX)
  server.asked.length = 0
  server.pages = {
    '/files': pages((visit) =>
      visit < 100 ? listPage(thousand(visit), String(visit)) : listPage([{ key: 'l' }]),
    ),
  }
  expect((await bucketFailureOf(list())).message).toMatch(
    /more than 100,000 objects under this prefix. Choose a prefix/,
  )
})

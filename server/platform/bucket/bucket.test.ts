import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultOf, startBucket, type TestBucket } from '#tests/support/s3.ts'
import { createNet } from '../net/index.ts'
import { createS3Files } from '../storage/s3-files.ts'
import {
  type Bucket,
  BucketError,
  type BucketObject,
  checkBucket,
  listObjects,
  readObject,
} from './bucket.ts'

/** Tests reading two buckets: one on s3rver, and one with keys that no disk can store as file names. */

const never = new AbortController().signal
const net = createNet({ allowPrivateNetwork: true })
const directory = mkdtempSync(join(tmpdir(), 'parley-bucket-'))
let store: TestBucket
let bucket: Bucket
beforeAll(async () => {
  store = await startBucket()
  bucket = {
    bucket: 'files',
    region: 'eu-central-1',
    endpoint: store.environment['S3_ENDPOINT'] as string,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  }
})
afterAll(async () => {
  await Promise.all([net.close(), store.close()])
  rmSync(directory, { recursive: true })
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
let files = 0
const newPath = (): string => join(directory, String(files++))

async function put(key: string, content: string, contentType = 'text/plain'): Promise<void> {
  const path = newPath()
  writeFileSync(path, content)
  const s3 = {
    ...bucket,
    endpoint: bucket.endpoint ?? '',
    accessKeyId: bucket.accessKeyId ?? '',
    secretAccessKey: bucket.secretAccessKey ?? '',
  }
  const size = Buffer.byteLength(content)
  await createS3Files(s3, net).put({ key, contentType }, { path, size, sha256: sha256(content) })
}

async function list(what: Bucket): Promise<BucketObject[]> {
  const pages: BucketObject[][] = []
  for await (const page of listObjects(net, what, never)) pages.push(page)
  return pages.flat()
}

async function read(what: Bucket, key: string) {
  const path = newPath()
  const found = await readObject(net, what, key, { path, maxBytes: 1_000 }, never)
  return { ...found, content: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777 }
}

describe('a bucket', () => {
  const KEYS = [
    'docs/a.txt',
    'docs/a-b.txt',
    'docs/with spaces and ümläuts.txt',
    'docs/日本語.md',
    `docs/a+b (1) it's! *~,;=&@#?$ 100%.txt`,
    'docs/%2B%20%.txt',
    'docs/<b>&amp;&#x41;</b>',
    'docs/.../.hidden',
    'other/x.txt',
  ]
  beforeAll(async () => {
    for (const key of KEYS) await put(key, `This is ${key}`)
    await put('empty', '')
  })

  test('lists the keys with the prefix, in order', async () => {
    const listed = await list({ ...bucket, prefix: 'docs/' })
    const keys = KEYS.filter((key) => key.startsWith('docs/'))
    expect(listed.map(({ key }) => key)).toEqual(
      keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    )
    for (const { key, size, etag, lastModified } of listed) {
      expect(size).toBe(Buffer.byteLength(`This is ${key}`))
      expect(etag).toMatch(/^[0-9a-f]{32}$/)
      expect(lastModified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    expect(await list(bucket)).toHaveLength(KEYS.length + 1)
    expect(await list({ ...bucket, prefix: 'nothing/' })).toEqual([])
  })

  test('is read object by object, with signed requests', async () => {
    for (const { key, etag, size } of await list(bucket)) {
      const content = key === 'empty' ? '' : `This is ${key}`
      expect(await read(bucket, key)).toEqual({
        content,
        size,
        etag,
        sha256: sha256(content),
        contentType: 'text/plain',
        mode: 0o600,
      })
    }
    expect(store.requests.filter(({ fault }) => fault !== undefined)).toEqual([])
  })

  test('explains a wrong bucket name and a deleted key', async () => {
    await expect(list({ ...bucket, bucket: 'another' })).rejects.toThrow(/no bucket named another/)
    await expect(read(bucket, 'docs/gone.txt')).rejects.toThrow(
      'docs/gone.txt is no longer in the bucket files',
    )
  })

  test('explains a wrong secret without showing it', async () => {
    const failure = await list({ ...bucket, secretAccessKey: 'not-the-secret' }).catch((error) => error)
    expect(failure).toBeInstanceOf(BucketError)
    expect(failure.message).toMatch(/This access key cannot list the bucket files/)
    expect(JSON.stringify([failure, failure.message, failure.stack])).not.toMatch(/not-the-secret|Signature=/)
  })
})

describe('a bucket with many pages', () => {
  const KEYS = [
    '../up',
    '..',
    'a/../b',
    'a/./b',
    'a//b',
    '/rooted',
    '//',
    'x/..',
    'new\nline',
    'emoji-😀',
    '\uffee',
  ]
  const objects = new Map<string, string>()
  const faults: (string | undefined)[] = []
  const asked: URL[] = []
  const server = createServer((request, response) => {
    faults.push(request.headers.authorization ? faultOf(request, Buffer.alloc(0)) : undefined)
    const [path = '', search = ''] = (request.url ?? '').split('?')
    const place = decodeURIComponent(path).slice('/base/files'.length)
    const content = objects.get(place.slice(1))
    if (place === '') {
      asked.push(new URL(`http://x/?${search}`))
      response.end(listing(new URLSearchParams(search)))
    } else if (content === undefined) response.writeHead(404).end()
    else response.writeHead(200, { etag: '"7"', 'content-length': Buffer.byteLength(content) }).end(content)
  })
  let odd: Bucket

  /** Returns a listing like Amazon's: a page ends after `max-keys`, and a space in a key is encoded as +. */
  function listing(query: URLSearchParams): string {
    const sorted = [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const begin = Number(query.get('continuation-token')?.slice('+/= '.length) ?? 0)
    const end = begin + Number(query.get('max-keys'))
    const entries = sorted.slice(begin, end).map(
      (key) => `<Contents><Key>${encodeURIComponent(key).replaceAll('%20', '+')}</Key>
        <LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;7&quot;</ETag>
        <Size>${Buffer.byteLength(objects.get(key) ?? '')}</Size><Owner><ID>x</ID></Owner></Contents>`,
    )
    const next = `<NextContinuationToken>+/= ${end}</NextContinuationToken>`
    return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
      <Name>files</Name><Prefix/>${entries.join('\n')}<EncodingType>url</EncodingType>
      <IsTruncated>${end < sorted.length}</IsTruncated>${end < sorted.length ? next : ''}</ListBucketResult>\n`
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    odd = { ...bucket, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/` }
    for (const key of KEYS) objects.set(key, `This is ${key}`)
    objects.set('folder/', '')
    objects.set('folder/with content/', 'not only a marker')
    for (let number = 0; number < 2_500; number++) objects.set(`many ${number}+`, 'x')
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test('is listed page by page, without folder markers', async () => {
    const keys = (await list(odd)).map(({ key }) => key)
    expect(new Set(keys)).toEqual(new Set([...objects.keys()].filter((key) => key !== 'folder/')))
    expect(keys).toHaveLength(objects.size - 1)
    expect(asked.map(({ searchParams }) => searchParams.get('continuation-token'))).toEqual([
      null,
      '+/= 1000',
      '+/= 2000',
    ])
    expect(faults).toEqual([undefined, undefined, undefined])
  })

  test('is read when keys look like paths', async () => {
    for (const key of [...KEYS, 'many 7+']) expect((await read(odd, key)).content).toBe(objects.get(key))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })

  test('stops listing when the reader stops', async () => {
    const before = asked.length
    for await (const page of listObjects(net, odd, never)) {
      expect(page.length).toBeGreaterThan(900)
      break
    }
    expect(asked).toHaveLength(before + 1)
  })
})

describe('a bucket configuration', () => {
  const named = (more: Partial<Bucket>): Bucket => ({ bucket: 'my-bucket', region: 'eu-west-1', ...more })

  test.each<Partial<Bucket>>([
    {},
    { bucket: 'a.b-c.1' },
    { prefix: 'a/b?c#d ü' },
    { endpoint: 'https://minio.example:9000/s3/' },
    { region: 'auto' },
    { accessKeyId: 'AKIA.x-_@', secretAccessKey: 'a/b+c=' },
  ])('accepts %j', (more) => {
    expect(() => checkBucket(net, named(more))).not.toThrow()
  })

  test.each<[Partial<Bucket>, string]>([
    ...[
      'ab',
      'a'.repeat(64),
      'My-bucket',
      'my_bucket',
      '-my',
      'my-',
      'a..b',
      '10.0.0.1',
      'a/b',
      '../x',
      'ab\n',
    ].map((bucket): [Partial<Bucket>, string] => [{ bucket }, 'bucket must have']),
    ...['', 'eu west', 'x.y/', 'EU', 'e'.repeat(33), 'a@b', 'eu\n'].map(
      (region): [Partial<Bucket>, string] => [{ region }, 'region must have'],
    ),
    [{ prefix: 'x'.repeat(1_025) }, 'prefix must be'],
    [{ prefix: '\ud800' }, 'prefix must be'],
    [{ prefix: '\0' }, 'prefix must be'],
    [{ accessKeyId: 'a' }, 'Send both'],
    [{ secretAccessKey: 'a' }, 'Send both'],
    [{ accessKeyId: 'a\r\nb: c', secretAccessKey: 'b' }, 'access_key_id'],
    [{ accessKeyId: 'a/b', secretAccessKey: 'b' }, 'access_key_id'],
    [{ accessKeyId: 'a', secretAccessKey: 'b\n' }, 'secret_access_key'],
    [{ endpoint: '' }, 'not a valid URL'],
    [{ endpoint: 's3.example' }, 'not a valid URL'],
    [{ endpoint: 'ftp://s3.example' }, 'Use https:// or http://'],
    [{ endpoint: 'https://user:pass@s3.example' }, 'must not contain a user name'],
    [{ endpoint: 'https://s3.example/?x=1' }, '(? or #)'],
    [{ endpoint: 'https://s3.example/#' }, '(? or #)'],
    [{ endpoint: 'https://s3.example/%zz' }, 'The path of endpoint'],
    [{ endpoint: `https://s3.example/${'x'.repeat(2_000)}` }, 'endpoint must be'],
  ])('refuses %j', (more, sentence) => {
    expect(() => checkBucket(net, named(more))).toThrow(BucketError)
    expect(() => checkBucket(net, named(more))).toThrow(sentence)
  })

  test.each(['', 'x'.repeat(1_025), '\ud800', 'a\0b'])(
    'an invalid key is refused before any request (%j)',
    async (key) => {
      await expect(read(bucket, key)).rejects.toThrow('An object key must have 1 to 1024 bytes')
    },
  )
})

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bucketAt, bucketFailureOf, listKeys, listPage, refuse } from '#tests/support/bucket-server.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type Answer, send, startWebsite, type Website } from '#tests/support/website.ts'
import { createNet, type Net } from '../net/index.ts'
import { type Bucket, readObject } from './bucket.ts'
import { askBucket } from './exchange.ts'

/** Tests buckets that refuse requests, send too much or too little data, respond too slowly, or redirect. */

const never = new AbortController().signal
const net = createExampleNet()
const directory = mkdtempSync(join(tmpdir(), 'parley-hostile-bucket-'))
const path = join(directory, 'object')
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
afterEach(() => {
  // No file may remain after a failure.
  expect(existsSync(path)).toBe(false)
})
afterAll(async () => {
  await net.close()
  await server.close()
  rmSync(directory, { recursive: true })
})

const list = (more: Partial<Bucket> = {}, asking: Net = net) => listKeys(asking, { ...bucket, ...more })
const read = (maxBytes = 1_000, signal = never) =>
  readObject(net, bucket, 'a.txt', { path, maxBytes }, signal)

describe('an error response', () => {
  test.each<[number, string, Record<string, string>, RegExp]>([
    [404, 'NoSuchBucket', {}, /has no bucket named files/],
    [404, 'NoSuchKey', {}, /does not contain the bucket name/],
    [404, '', {}, /has no bucket named files/],
    [403, 'AccessDenied', {}, /This access key cannot list the bucket files at .*. Grant it s3:ListBucket/],
    [403, 'InvalidAccessKeyId', {}, /Check access_key_id/],
    [403, 'SignatureDoesNotMatch', {}, /Check secret_access_key/],
    [403, 'RequestTimeTooSkewed', {}, /the clock of this server/],
    [400, 'ExpiredToken', {}, /session token/],
    [400, 'AuthorizationHeaderMalformed', {}, /Check the region/],
    [
      400,
      'AuthorizationHeaderMalformed',
      { 'x-amz-bucket-region': 'us-west-2' },
      /is in the region us-west-2\./,
    ],
    [301, 'PermanentRedirect', { 'x-amz-bucket-region': 'us-west-2' }, /is in the region us-west-2\./],
    [301, 'PermanentRedirect', { 'x-amz-bucket-region': '<b>no region</b>' }, /redirects are not followed/],
    [
      400,
      'SomethingElse',
      {},
      /refused to list the bucket files \(status 400, SomethingElse\)\. Check the permissions/,
    ],
    [400, 'words of <b>its</b> own', {}, /\(status 400\)\. Check the permissions/],
    [400, 'x'.repeat(65), {}, /\(status 400\)\. Check the permissions/],
    [204, '', {}, /\(status 204\)\. Check the permissions/],
    [206, '', {}, /\(status 206\)\. Check the permissions/],
  ])('%i %s %j is explained with a remedy', async (status, code, headers, sentence) => {
    server.pages = { '/files': refuse(status, code, headers) }
    const failure = await bucketFailureOf(list())
    expect([failure.message, failure.canTryAgain]).toEqual([expect.stringMatching(sentence), false])
    expect(server.asked).toHaveLength(1)
  })

  test.each<[number, string, RegExp]>([
    [404, 'NoSuchKey', /^a.txt is no longer in the bucket files/],
    [404, '', /^a.txt is no longer in the bucket files/],
    [403, 'AccessDenied', /cannot read a.txt in the bucket files at .*. Grant it s3:GetObject/],
    [403, 'InvalidObjectState', /^a.txt is archived/],
  ])('%i %s for an object is explained', async (status, code, sentence) => {
    server.pages = { '/files/a.txt': refuse(status, code) }
    expect((await bucketFailureOf(read())).message).toMatch(sentence)
  })

  test('to unsigned requests asks for keys, and nothing is signed without them', async () => {
    const heads: IncomingMessage['headers'][] = []
    server.pages = {
      '/files': (response, { headers }) => {
        heads.push(headers)
        if (heads.length === 1) response.writeHead(200).end(listPage([{ key: 'a' }]))
        else response.writeHead(403).end()
      },
    }
    const { accessKeyId: _id, secretAccessKey: _secret, ...stranger } = bucket
    expect(await listKeys(net, stranger)).toEqual(['a'])
    const { message } = await bucketFailureOf(listKeys(net, stranger))
    expect(message).toMatch(/is not public. Set access_key_id and/)
    expect(heads.filter((head) => 'authorization' in head || 'x-amz-date' in head)).toEqual([])
  })

  test.each([
    [429, 'TooManyRequests'],
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [400, 'RequestTimeout'],
  ])('%i %s is retried, at most three times in all', async (status, code) => {
    server.pages = { '/files': refuse(status, code, { 'retry-after': '0' }) }
    const failure = await bucketFailureOf(list())
    expect([failure.message, failure.canTryAgain]).toEqual([
      `${new URL(bucket.endpoint ?? '').host} is overloaded or had an internal error (status ${status}, ${code}). Try again later.`,
      true,
    ])
    expect(server.asked).toHaveLength(3)
  })

  test('followed by a success is ignored', async () => {
    server.pages = {
      '/files': (response) => {
        if (server.asked.length === 1) response.writeHead(503).end()
        else response.writeHead(200).end(listPage([{ key: 'a' }]))
      },
    }
    expect(await list()).toEqual(['a'])
    expect(server.asked).toHaveLength(2)
  })

  test('with a long Retry-After is not retried', async () => {
    server.pages = { '/files': refuse(503, 'SlowDown', { 'retry-after': '11' }) }
    expect((await bucketFailureOf(list())).canTryAgain).toBe(true)
    expect(server.asked).toHaveLength(1)
  })

  test('without end is not read completely', async () => {
    server.pages = {
      '/files': (response) => {
        response.writeHead(403)
        sendEndlessly(response)
      },
    }
    expect((await bucketFailureOf(list())).message).toMatch(/Grant it s3:ListBucket/)
  })
})

/** Sends the content with its length, like S3. */
const object = (content: string): Answer =>
  send('text/plain', content, { 'content-length': String(content.length) })

function sendEndlessly(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
  }
  response.on('drain', write)
  write()
}

describe('an object', () => {
  test('declared too large is not read', async () => {
    server.pages = { '/files/a.txt': object('a'.repeat(1_001)) }
    const failure = await bucketFailureOf(read())
    expect(failure).toMatchObject({
      message: 'a.txt is larger than 0.001 MB, the limit for a file. Split it into smaller files.',
    })
    expect(failure.canTryAgain).toBe(false)
    server.pages = { '/files/a.txt': object('a'.repeat(1_000)) }
    expect((await read()).size).toBe(1_000)
    rmSync(path)
  })

  test('larger than declared, or without a length, is refused', async () => {
    server.pages = { '/files/a.txt': (response) => sendEndlessly(response.writeHead(200)) }
    expect((await bucketFailureOf(read())).message).toMatch(/^a.txt is larger than 0.001 MB/)
    server.pages = {
      '/files/a.txt': (response) => {
        response.useChunkedEncodingByDefault = false
        response.writeHead(200).end('a')
      },
    }
    expect((await bucketFailureOf(read())).message).toMatch(/did not report the size of a.txt/)
  })

  test.each<Record<string, string>>([{ 'content-length': '100' }, { 'transfer-encoding': 'chunked' }])(
    'that breaks off is refused (%j)',
    async (headers) => {
      server.pages = {
        '/files/a.txt': (response) => {
          response.writeHead(200, { ...headers, connection: 'close' }).write('a')
          setTimeout(() => response.socket?.end(), 20)
        },
      }
      const failure = await bucketFailureOf(read())
      expect([failure.message, failure.canTryAgain]).toEqual([
        expect.stringMatching(/closed the connection/),
        true,
      ])
      expect(server.asked).toHaveLength(3)
    },
  )

  test('whose first response breaks off is read again', async () => {
    server.pages = {
      '/files/a.txt': (response) => {
        response.writeHead(200, { 'content-length': '2' }).write('a')
        if (server.asked.length === 1) response.socket?.end()
        else response.end('b')
      },
    }
    expect(await read()).toMatchObject({ size: 2, etag: '', contentType: null })
    rmSync(path)
  })

  test('that arrives too slowly times out', async () => {
    server.pages = { '/files/a.txt': drip }
    const request = {
      key: 'a.txt',
      timeoutMs: 300,
      read: ({ body }: { body: AsyncIterable<Buffer> }) => drain(body),
    }
    const failure = await bucketFailureOf(askBucket(net, bucket, request, never))
    expect([failure.message, failure.canTryAgain]).toEqual([
      expect.stringMatching(/within 0.3 seconds/),
      true,
    ])
    expect(server.asked).toHaveLength(1)
  })

  test('is no longer read after an abort', async () => {
    const reason = new Error('deleted meanwhile')
    const aborting = new AbortController()
    server.pages = {
      '/files/a.txt': (response, request) => {
        drip(response, request)
        setTimeout(() => aborting.abort(reason), 50)
      },
    }
    await expect(read(1_000, aborting.signal)).rejects.toBe(reason)
    await expect(read(1_000, aborting.signal)).rejects.toBe(reason)
    expect(server.asked).toHaveLength(1)
  })

  test('that cannot be written to disk is not a bucket error', async () => {
    server.pages = { '/files/a.txt': object('a') }
    const into = { path: join(directory, 'nowhere', 'object'), maxBytes: 10 }
    await expect(readObject(net, bucket, 'a.txt', into, never)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(server.asked).toHaveLength(1)
  })

  const drip = (response: ServerResponse, _request: IncomingMessage): void => {
    response.writeHead(200, { 'content-length': '1000' })
    const timer = setInterval(() => response.write('a'), 10)
    response.on('close', () => clearInterval(timer))
  }
  async function drain(body: AsyncIterable<Buffer>): Promise<void> {
    for await (const _chunk of body);
  }
})

describe('an address', () => {
  test.each([301, 302, 307, 308])('from a %i redirect is never requested', async (status) => {
    server.pages = {
      '/files': send('text/plain', '', { location: server.at('/inside', '127.0.0.1') }, status),
      '/files/a.txt': send('text/plain', '', { location: 'http://169.254.169.254/' }, status),
    }
    expect((await bucketFailureOf(list())).message).toMatch(/redirects are not followed/)
    expect((await bucketFailureOf(read())).message).toMatch(/redirects are not followed/)
    expect(server.asked.map((address) => address.split('?')[0])).toEqual(['/files', '/files/a.txt'])
  })

  test('that is not public is refused in every spelling, and as a host name', async () => {
    const strict = createNet({
      allowPrivateNetwork: false,
      resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    for (const host of [
      '127.0.0.1',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '2130706433',
      'localhost',
      'inside.example',
    ]) {
      const failure = await bucketFailureOf(list({ endpoint: server.at('', host) }, strict))
      expect([failure.message, failure.canTryAgain]).toEqual([
        expect.stringMatching(/not a public address.*ALLOW_PRIVATE_NETWORK/),
        false,
      ])
    }
    expect(server.asked).toEqual([])
    await strict.close()
  })

  test('that refuses connections can be retried; an unknown host name cannot', async () => {
    const nobody = await bucketFailureOf(list({ endpoint: 'http://127.0.0.1:1' }))
    expect([nobody.message, nobody.canTryAgain]).toEqual([expect.stringMatching(/cannot be reached/), true])
    const nameless = createNet({
      allowPrivateNetwork: true,
      resolveName: (name, _options, tell) => tell(Object.assign(new Error(name), { code: 'ENOTFOUND' }), []),
    })
    const unknown = await bucketFailureOf(list({ endpoint: undefined as never }, nameless))
    expect([unknown.message, unknown.canTryAgain]).toEqual([
      'The host name s3.eu-central-1.amazonaws.com cannot be resolved. Check the URL.',
      false,
    ])
    await nameless.close()
  })
})

import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '#tests/clients/s3rver.ts'

const SECRET = 'S3RVER'
const WEEK_SECONDS = 604_800

export interface TestBucket {
  /** Environment variables of a server that stores its files in this bucket. */
  environment: Record<string, string>
  directory: string
  /**
   * All requests, each with its method and raw path. `fault` describes what is wrong with the signature, or is
   * undefined.
   */
  requests: { method: string; path: string; fault: string | undefined }[]
  /** Makes every request fail with this status. Undefined restores normal responses. */
  failWith(status: number | undefined): void
  removeBucket(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts an S3 bucket on loopback. s3rver stores the objects, but accepts any signature of version 4. Therefore, each
 * request's signature is first verified from the received bytes, as AWS documents (Signature Version 4, "Create a
 * signed AWS API request").
 */
export async function startBucket(): Promise<TestBucket> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-s3-'))
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'files', configs: [] }],
  })
  const { port: storePort } = await store.run()
  const requests: TestBucket['requests'] = []
  let failure: number | undefined
  const front = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const fault = faultOf(request, body)
    requests.push({ method: request.method ?? '', path: request.url ?? '', fault })
    if (fault !== undefined || failure !== undefined) {
      response.writeHead(failure ?? 403).end(fault)
      return
    }
    const { method, url: path, headers } = request
    const passed = sendRequest({ host: '127.0.0.1', port: storePort, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    passed.end(body)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo
  return {
    environment: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'files',
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: SECRET,
    },
    directory,
    requests,
    failWith(status) {
      failure = status
    },
    removeBucket: () => store.store.deleteBucket('files'),
    async close() {
      front.closeAllConnections()
      await new Promise((resolve) => front.close(resolve))
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Describes what is wrong with the signature of a request. Returns undefined if the signature is valid. */
export function faultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method = '' } = request
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const query = search
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string])
  const asked = Object.fromEntries(query)
  const isPresigned = 'X-Amz-Signature' in asked
  const [, credential = '', names = '', signature = ''] = isPresigned
    ? ['', asked['X-Amz-Credential'], asked['X-Amz-SignedHeaders'], asked['X-Amz-Signature']]
    : (/^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [])
  const date = (isPresigned ? asked['X-Amz-Date'] : headers['x-amz-date']) as string
  const signed = names.split(';')
  const unsigned = Object.keys(headers).filter(
    (name) => /^host$|^x-amz-/.test(name) && !signed.includes(name),
  )
  if (unsigned.length > 0) return `not signed: ${unsigned}`
  if (isPresigned && Number(asked['X-Amz-Expires']) > WEEK_SECONDS) return 'valid for more than a week'
  const hash = isPresigned ? 'UNSIGNED-PAYLOAD' : (headers['x-amz-content-sha256'] as string)
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return 'the body does not match its hash'
  const canonicalPath = path
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/')
  if (canonicalPath !== path) return `the path ${path} is not encoded as signed: ${canonicalPath}`
  const canonical = [
    method,
    canonicalPath,
    query
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    hash,
  ].join('\n')
  const [, day = '', region = '', service = '', end = ''] = credential.split('/')
  if (`${day}/${end}` !== `${date.slice(0, 8)}/aws4_request` || service !== 's3') return 'another scope'
  const toSign = ['AWS4-HMAC-SHA256', date, [day, region, service, end].join('/'), sha256(canonical)].join(
    '\n',
  )
  const key = [day, region, service, end].reduce<Buffer>(hmac, Buffer.from(`AWS4${SECRET}`))
  return hmac(key, toSign).toString('hex') === signature ? undefined : `a wrong signature of ${canonical}`
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import type { Config } from '#config'
import { readBeginning } from '../net/exchange-bounds.ts'
import type { Net } from '../net/index.ts'
import { dispositionOf, URL_SECONDS } from './addresses.ts'
import { pathInOrigin, type S3Request, signRequest } from './s3-requests.ts'
import type { Storage } from './storage.ts'
import { unavailable } from './unavailable.ts'

const ANSWER_TIMEOUT_MS = 60_000
/** A whole exchange, file and all: as long as its sender may have taken (app.ts). */
const EXCHANGE_TIMEOUT_MS = 600_000
/** So much of what a storage says about a failure goes to the log. */
const WORDS_MAX = 2_000

interface Exchange extends S3Request {
  body?: () => Readable
}

const refused = (method: string, status: number, words: Buffer): Error =>
  new Error(`${method} was answered ${status}: ${words.toString('utf8', 0, WORDS_MAX)}`)

/** Files in a bucket of S3, or of what speaks its language, with addresses in path style and Signature Version 4. */
export function createS3Files(s3: NonNullable<Config['s3']>, net: Net): Storage {
  /** The whole answer. Throws server.unavailable for one that is no success. */
  async function exchange(request: Exchange): Promise<Buffer> {
    const { method } = request
    try {
      const answer = await ask(request, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS))
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode < 300 || (method === 'DELETE' && answer.statusCode === 404)) return bytes
      throw refused(method, answer.statusCode, bytes)
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  const ask = async ({ body, ...request }: Exchange, signal?: AbortSignal) =>
    net.open.request({
      ...(await signRequest(s3, request)),
      method: request.method,
      body: body?.() ?? null,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      ...(signal && { signal }),
    })

  return {
    signed: null,
    async put(file, content) {
      await exchange({
        method: 'PUT',
        key: file.key,
        headers: {
          'content-type': file.contentType,
          'content-disposition': dispositionOf(file),
          'content-length': String(content.size),
          'x-amz-content-sha256': content.sha256,
        },
        body: () => createReadStream(content.path),
      })
    },
    read: (key) => exchange({ method: 'GET', key }),
    async open(key) {
      try {
        // How long the whole takes is for the reader to bound; undici's clocks stand while nobody reads.
        const { statusCode, body } = await ask({ method: 'GET', key })
        if (statusCode < 300) return body
        const { beginning } = await readBeginning(body, WORDS_MAX)
        throw refused('GET', statusCode, beginning)
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    async delete(key) {
      await exchange({ method: 'DELETE', key })
    },
    async urlOf({ key }) {
      const { origin } = new URL(s3.endpoint)
      const url = `${origin}${pathInOrigin(s3, key)}?X-Amz-Expires=${URL_SECONDS}`
      const signed = await new AwsV4Signer({ ...s3, service: 's3', url, signQuery: true }).sign()
      return signed.url.href
    },
    async check() {
      await exchange({ method: 'HEAD', key: null })
    },
  }
}

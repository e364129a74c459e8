import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import type { Config } from '#config'
import { readBeginning } from '../net/exchange-bounds.ts'
import type { Net } from '../net/index.ts'
import { dispositionOf, URL_SECONDS } from './addresses.ts'
import { pathInOrigin, type S3Request, signRequest } from './s3-requests.ts'
import type { Storage } from './storage.ts'
import { unavailable } from './unavailable.ts'
import { unlessSilent } from './unless-silent.ts'

const ANSWER_TIMEOUT_MS = 60_000
/** Timeout of a whole exchange, including the file. Equals the time that a client has to send a file (app.ts). */
const EXCHANGE_TIMEOUT_MS = 600_000
/** Maximum number of bytes of an error response to log. */
const WORDS_MAX = 2_000

interface Exchange extends S3Request {
  body?: () => Readable
}

const refused = (method: string, status: number, words: Buffer): Error =>
  new Error(`${method} failed with status ${status}: ${words.toString('utf8', 0, WORDS_MAX)}`)

/** Stores files in a bucket of S3 or an S3-compatible service, with path-style URLs and Signature Version 4. */
export function createS3Files(s3: NonNullable<Config['s3']>, net: Net): Storage {
  /** Returns the response body. Throws server.unavailable for an error status. A 404 for DELETE counts as success. */
  async function exchange({ body, ...request }: Exchange): Promise<Buffer> {
    const { method } = request
    try {
      return await unlessSilent(probe, async (silence, watched) => {
        const signal = AbortSignal.any([silence, AbortSignal.timeout(EXCHANGE_TIMEOUT_MS)])
        const answer = await ask(request, signal, body && Readable.from(watched(body())))
        const chunks: Buffer[] = []
        for await (const chunk of watched(answer.body)) chunks.push(chunk)
        const bytes = Buffer.concat(chunks)
        if (answer.statusCode < 300 || (method === 'DELETE' && answer.statusCode === 404)) return bytes
        throw refused(method, answer.statusCode, bytes)
      })
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  const ask = async (request: S3Request, signal: AbortSignal, body: Readable | null = null) =>
    net.open.request({
      ...(await signRequest(s3, request)),
      method: request.method,
      body,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      signal,
    })

  const probe = async (signal: AbortSignal): Promise<void> => {
    const { body } = await ask({ method: 'HEAD', key: null }, signal)
    await body.dump()
  }

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
        // No total timeout, because the reader limits the time. undici's timeouts pause while the body is not being
        // read.
        const { statusCode, body } = await unlessSilent(probe, (silence) =>
          ask({ method: 'GET', key }, silence),
        )
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

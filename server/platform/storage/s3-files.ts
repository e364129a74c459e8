import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import type { Config } from '#config'
import type { Net } from '../net/index.ts'
import { dispositionOf, pathOf, URL_SECONDS } from './addresses.ts'
import type { Storage } from './storage.ts'
import { unavailable } from './unavailable.ts'

const ANSWER_TIMEOUT_MS = 60_000
/** A whole exchange, file and all: as long as its sender may have taken (app.ts). */
const EXCHANGE_TIMEOUT_MS = 600_000
/** So much of what a storage says about a failure goes to the log. */
const WORDS_MAX = 2_000

/** A bucket that is asked for an object, or for itself. */
interface Exchange {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Null: the bucket itself. */
  key: string | null
  headers?: Record<string, string>
  body?: () => Readable
}

/** Files in a bucket of S3, or of what speaks its language, with addresses in path style and Signature Version 4. */
export function createS3Files(s3: NonNullable<Config['s3']>, net: Net): Storage {
  const { accessKeyId, secretAccessKey, region } = s3
  const addressOf = (key: string | null): string =>
    `${s3.endpoint}/${s3.bucket}${key === null ? '' : `/${pathOf(key)}`}`
  const signing = { accessKeyId, secretAccessKey, region, service: 's3' }

  /** The whole answer. Throws server.unavailable for one that is no success. */
  async function exchange({ method, key, headers = {}, body }: Exchange): Promise<Buffer> {
    try {
      const signer = new AwsV4Signer({ ...signing, method, url: addressOf(key), headers })
      const { url, headers: signed } = await signer.sign()
      const answer = await net.open.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, ...Object.fromEntries(signed) },
        body: body?.() ?? null,
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: ANSWER_TIMEOUT_MS,
        signal: AbortSignal.timeout(EXCHANGE_TIMEOUT_MS),
      })
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode < 300 || (method === 'DELETE' && answer.statusCode === 404)) return bytes
      throw new Error(`${method} was answered ${answer.statusCode}: ${bytes.toString('utf8', 0, WORDS_MAX)}`)
    } catch (cause) {
      throw unavailable(cause)
    }
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
    async delete(key) {
      await exchange({ method: 'DELETE', key })
    },
    async urlOf({ key }) {
      const url = `${addressOf(key)}?X-Amz-Expires=${URL_SECONDS}`
      const signed = await new AwsV4Signer({ ...signing, url, signQuery: true }).sign()
      return signed.url.href
    },
    async check() {
      await exchange({ method: 'HEAD', key: null })
    },
  }
}

import { rm } from 'node:fs/promises'
import { sentence } from '#errors'
import { readAll } from '../net/exchange-bounds.ts'
import type { Net } from '../net/index.ts'
import { saveContent } from '../storage/local-file.ts'
import { BucketError } from './bucket-error.ts'
import { askBucket, type BucketAnswer } from './exchange.ts'
import { type Bucket, checkKey } from './names.ts'
import { type BucketObject, etagOf, type ListedPage, parseListing } from './parse-listing.ts'
import { quoteKey } from './refusals.ts'

export { BucketError } from './bucket-error.ts'
export { type Bucket, checkBucket } from './names.ts'
export type { BucketObject } from './parse-listing.ts'
export { quoteKey } from './refusals.ts'

export interface ReadObject {
  /** Size in bytes. */
  size: number
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string
  /** ETag in the same form as in the listing. */
  etag: string
  /** Content type stored with the object. Null if there is none. */
  contentType: string | null
}

/** Maximum number of listed keys, including folder markers. @limit objects of a bucket that are listed */
export const KEYS_MAX = 100_000
const KEYS_PER_PAGE = 1_000
/** Maximum number of pages. A server may return fewer keys per page than requested, or none. */
const PAGES_MAX = 1_000
/** Maximum size of a page: enough for a thousand encoded keys of a thousand bytes, with their metadata. */
const PAGE_BYTES_MAX = 5_000_000
const PAGE_TIMEOUT_MS = 60_000
const OBJECT_TIMEOUT_MS = 600_000
const CONTENT_TYPE_CHARACTERS_MAX = 200

/**
 * Yields pages of the objects whose keys begin with the bucket's prefix. Yields each object once, in the byte order
 * of the keys. Omits folder markers (empty objects whose keys end in /).
 *
 * Throws a BucketError on failure or beyond KEYS_MAX, or the signal's reason on abort. Has no timeout of its own.
 */
export async function* listObjects(
  net: Net,
  bucket: Bucket,
  signal: AbortSignal,
): AsyncGenerator<BucketObject[]> {
  let token: string | null = null
  let last: Buffer | null = null
  let keys = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const { objects, nextToken }: ListedPage = await readPage(net, bucket, token, signal)
    keys += objects.length
    if (keys > KEYS_MAX)
      throw new BucketError(
        sentence('bucket.too_many_objects', { bucket: bucket.bucket, limit: KEYS_MAX.toLocaleString('en') }),
      )
    const [first, final] = [objects[0], objects.at(-1)]
    if (last && first && last.compare(Buffer.from(first.key)) >= 0) throw endless(bucket)
    if (final) last = Buffer.from(final.key)
    const files = objects.filter(({ key, size }) => size > 0 || !key.endsWith('/'))
    if (files.length > 0) yield files
    if (nextToken === null) return
    if (nextToken === token) throw endless(bucket)
    token = nextToken
  }
  throw endless(bucket)
}

/**
 * Saves an object to a new file that only this process's user can read. Throws a BucketError on failure or if the
 * object has more than `maxBytes` bytes, the signal's reason on abort, or a file system error. After an error, the
 * file is deleted.
 */
export async function readObject(
  net: Net,
  bucket: Bucket,
  key: string,
  into: { path: string; maxBytes: number },
  signal: AbortSignal,
): Promise<ReadObject> {
  checkKey(key)
  const read = (answer: BucketAnswer): Promise<ReadObject> => saveObject(answer, key, into)
  return askBucket(net, bucket, { key, timeoutMs: OBJECT_TIMEOUT_MS, read }, signal)
}

const endless = ({ bucket }: Bucket): BucketError =>
  new BucketError(sentence('bucket.endless_list', { bucket }))

function readPage(net: Net, bucket: Bucket, token: string | null, signal: AbortSignal): Promise<ListedPage> {
  const { prefix = '' } = bucket
  const query = {
    ...(token !== null && { 'continuation-token': token }),
    // XML cannot represent some characters that keys may contain.
    'encoding-type': 'url',
    'list-type': '2',
    'max-keys': String(KEYS_PER_PAGE),
    prefix,
  }
  const read = async ({ host, body }: BucketAnswer): Promise<ListedPage> => {
    const answer = await readAll(body, PAGE_BYTES_MAX)
    if (answer === null)
      throw new BucketError(sentence('bucket.page_too_large', { host, megabytes: PAGE_BYTES_MAX / 1e6 }))
    return parseListing(host, answer, prefix)
  }
  return askBucket(net, bucket, { key: null, query, timeoutMs: PAGE_TIMEOUT_MS, read }, signal)
}

async function saveObject(
  { host, headers, body }: BucketAnswer,
  key: string,
  { path, maxBytes }: { path: string; maxBytes: number },
): Promise<ReadObject> {
  const announced = headerOf(headers['content-length'])
  // Without a length or chunked encoding, a truncated response would look complete.
  if (announced === null && headers['transfer-encoding'] === undefined)
    throw new BucketError(sentence('bucket.size_unknown', { host, key: quoteKey(key) }))
  const tooLarge = (): Error =>
    new BucketError(sentence('bucket.object_too_large', { key: quoteKey(key), megabytes: maxBytes / 1e6 }))
  if (Number(announced) > maxBytes) throw tooLarge()
  try {
    const { size, sha256 } = await saveContent(body, path, maxBytes, tooLarge)
    const contentType = headerOf(headers['content-type'])?.slice(0, CONTENT_TYPE_CHARACTERS_MAX) ?? null
    return { size, sha256, etag: etagOf(headerOf(headers['etag']) ?? ''), contentType }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

const headerOf = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null

import { sentence } from '#errors'
import { BucketError } from './bucket-error.ts'
import { isKey } from './names.ts'
import { readElements, XmlError } from './xml.ts'

export interface BucketObject {
  key: string
  /** Size in bytes. */
  size: number
  /** ETag without quotes. '' if the server sends none. */
  etag: string
  /** Time of the last change in ISO 8601, UTC. */
  lastModified: string
}

export interface ListedPage {
  /** All objects of the page, including folder markers, in the byte order of their keys. */
  objects: BucketObject[]
  /** Token for the next page. Null on the last page. */
  nextToken: string | null
}

/** Maximum valid object size, above S3's own maximum. */
const OBJECT_BYTES_MAX = 100e12
const TOKEN_CHARACTERS_MAX = 4_096
const ETAG_CHARACTERS_MAX = 200

/**
 * Parses a page of a bucket's listing (Amazon S3 API Reference, ListObjectsV2). Throws a BucketError for invalid
 * data. The result always has unique keys with this prefix, and valid sizes and times.
 */
export function parseListing(host: string, answer: Buffer, prefix: string): ListedPage {
  try {
    const { entries, isTruncated, token, isEncoded } = collect(
      new TextDecoder('utf-8', { fatal: true }).decode(answer),
    )
    if (isTruncated && (token === '' || token.length > TOKEN_CHARACTERS_MAX))
      throw new XmlError('it is truncated, but has no continuation token')
    const objects = entries.map((entry) => toObject(entry, isEncoded, prefix))
    return { objects: inOrder(objects), nextToken: isTruncated ? token : null }
  } catch (cause) {
    const what = cause instanceof XmlError ? cause.message : 'it is not UTF-8 text'
    if (!(cause instanceof XmlError) && !isOfDecoder(cause)) throw cause
    throw new BucketError(sentence('bucket.list_unreadable', { host, details: what }), false, { cause })
  }
}

const isOfDecoder = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'

/** Returns an object's ETag without quotes, for comparison. */
export const etagOf = (text: string): string => text.replace(/^"(.*)"$/, '$1').slice(0, ETAG_CHARACTERS_MAX)

type Entry = Record<string, string>

const ROOT = 'ListBucketResult'
const ENTRY = `${ROOT}/Contents`

function collect(xml: string) {
  const entries: Entry[] = []
  const fields: Record<string, string> = {}
  let entry: Entry = {}
  let root = ''
  for (const { path, text } of readElements(xml)) {
    root = path
    if (path === ENTRY) {
      entries.push(entry)
      entry = {}
    } else if (path.startsWith(`${ENTRY}/`)) entry[path.slice(ENTRY.length + 1)] = text
    else fields[path.slice(ROOT.length + 1)] = text
  }
  if (root !== ROOT) throw new XmlError('it is not a ListBucketResult')
  return {
    entries,
    isTruncated: fields['IsTruncated'] === 'true',
    token: fields['NextContinuationToken'] ?? '',
    isEncoded: fields['EncodingType'] === 'url',
  }
}

function toObject(entry: Entry, isEncoded: boolean, prefix: string): BucketObject {
  const key = isEncoded ? decodeKey(entry['Key'] ?? '') : (entry['Key'] ?? '')
  if (!isKey(key)) throw new XmlError('it contains an invalid key')
  if (!key.startsWith(prefix)) throw new XmlError('it contains a key outside the prefix')
  const size = Number(/^\d{1,15}$/.test(entry['Size'] ?? '') ? entry['Size'] : Number.NaN)
  if (!(size <= OBJECT_BYTES_MAX)) throw new XmlError('it contains an invalid size')
  return { key, size, etag: etagOf(entry['ETag'] ?? ''), lastModified: toTime(entry['LastModified'] ?? '') }
}

/** Parses a time. Throws an XmlError for an invalid time, or for a year without exactly four digits. */
function toTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.valueOf()) || !/^\d/.test(time.toISOString()))
    throw new XmlError('it contains an invalid time')
  return time.toISOString()
}

/** Decodes a form-encoded key, in which Amazon and others write a space as +. */
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'))
  } catch {
    throw new XmlError('it contains an invalid key')
  }
}

/**
 * Sorts objects by the UTF-8 bytes of their keys, like S3. Some servers that store objects as files use another order
 * within a page.
 */
function inOrder(objects: BucketObject[]): BucketObject[] {
  const withBytes = objects.map((object) => ({ object, bytes: Buffer.from(object.key) }))
  withBytes.sort((one, other) => one.bytes.compare(other.bytes))
  for (let index = 1; index < objects.length; index++)
    if (withBytes[index]?.object.key === withBytes[index - 1]?.object.key)
      throw new XmlError('it contains a key twice')
  return withBytes.map(({ object }) => object)
}

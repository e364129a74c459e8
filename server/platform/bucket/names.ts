import { isIP } from 'node:net'
import { sentence } from '#errors'
import { type Net, NetError } from '../net/index.ts'
import { BucketError } from './bucket-error.ts'

/** A bucket of S3, or of what speaks its language, as a tenant names it. */
export interface Bucket {
  bucket: string
  /** Only keys that begin so. */
  prefix?: string
  region: string
  /** Without one, Amazon's own address of the region. */
  endpoint?: string
  /** Both or none: without them nothing is signed, as it is with public buckets. */
  accessKeyId?: string
  secretAccessKey?: string
}

const ENDPOINT_CHARACTERS_MAX = 2_000
/** What keys have, in UTF-8 (Amazon S3 User Guide, "Naming Amazon S3 objects"). */
export const KEY_BYTES_MAX = 1_024

/** Where the bucket is asked. */
export const endpointOf = ({ endpoint, region }: Bucket): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com`

/**
 * Checks what a bucket is called and where it is, before anything is sent. Throws a BucketError, which names the field.
 * Sources: Amazon S3 User Guide, "Bucket naming rules"; the region is a part of a name in DNS.
 */
export function checkBucket(net: Net, bucket: Bucket): void {
  const { bucket: name, region, prefix = '', accessKeyId, secretAccessKey } = bucket
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) || name.includes('..') || isIP(name))
    throw new BucketError(sentence('bucket.name'))
  if (!isRegion(region)) throw new BucketError(sentence('bucket.region'))
  if (prefix !== '' && !isKey(prefix))
    throw new BucketError(sentence('bucket.prefix', { limit: KEY_BYTES_MAX }))
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new BucketError(sentence('bucket.key_pair'))
  // They go into a header, where a comma and a slash part it from what comes next.
  if (accessKeyId !== undefined && !/^[!-+.0-~-]{1,128}$/.test(accessKeyId))
    throw new BucketError(sentence('bucket.access_key'))
  if (secretAccessKey !== undefined && !/^[!-~]{1,256}$/.test(secretAccessKey))
    throw new BucketError(sentence('bucket.secret_key'))
  checkEndpoint(net, endpointOf(bucket))
}

/** Throws a BucketError where this is no key that an object can have. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new BucketError(sentence('bucket.key', { limit: KEY_BYTES_MAX }))
}

/** NUL is no character of a text anywhere else here, such as in the database. */
export const isKey = (text: string): boolean =>
  text !== '' && text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= KEY_BYTES_MAX

export const isRegion = (text: string): boolean => /^[a-z0-9-]{1,32}$/.test(text)

function checkEndpoint(net: Net, endpoint: string): void {
  const url = checkAddress(net, endpoint)
  if (endpoint.length > ENDPOINT_CHARACTERS_MAX || /[?#]/.test(endpoint))
    throw new BucketError(sentence('bucket.endpoint_query'))
  if (!/^[\w.~/-]*$/.test(url.pathname)) throw new BucketError(sentence('bucket.endpoint_path'))
}

function checkAddress(net: Net, endpoint: string): URL {
  try {
    return net.checkUrl(endpoint)
  } catch (cause) {
    if (cause instanceof NetError) throw new BucketError(cause.message, false, { cause })
    throw cause
  }
}

import { isIP } from 'node:net'
import { sentence } from '#errors'
import { type Net, NetError } from '../net/index.ts'
import { BucketError } from './bucket-error.ts'

/** A bucket in S3 or an S3-compatible service, as configured by a tenant. */
export interface Bucket {
  bucket: string
  /** Prefix of the keys to read. */
  prefix?: string
  region: string
  /** URL of the S3 service. Default: Amazon's endpoint for the region. */
  endpoint?: string
  /** Set both access key fields or neither. Without them, requests are not signed, as for public buckets. */
  accessKeyId?: string
  secretAccessKey?: string
}

/** @limit endpoint of a bucket */
const ENDPOINT_CHARACTERS_MAX = 2_000
/** Maximum length of a key in UTF-8 (Amazon S3 User Guide, "Naming Amazon S3 objects"). @limit key of an object */
export const KEY_BYTES_MAX = 1_024

export const endpointOf = ({ endpoint, region }: Bucket): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com`

/**
 * Checks a bucket's name, region, keys and endpoint before any request. Throws a BucketError that names the invalid
 * field. The name follows Amazon S3 User Guide, "Bucket naming rules". The region becomes part of a DNS name.
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
  // The access key is part of a header in which commas and slashes are separators.
  if (accessKeyId !== undefined && !/^[!-+.0-~-]{1,128}$/.test(accessKeyId))
    throw new BucketError(sentence('bucket.access_key'))
  if (secretAccessKey !== undefined && !/^[!-~]{1,256}$/.test(secretAccessKey))
    throw new BucketError(sentence('bucket.secret_key'))
  checkEndpoint(net, endpointOf(bucket))
}

/** Throws a BucketError if an object cannot have this key. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new BucketError(sentence('bucket.key', { limit: KEY_BYTES_MAX }))
}

/**
 * Returns true if an object can have this key. NUL is not allowed, because the key must be valid in the database and
 * elsewhere.
 */
export const isKey = (text: string): boolean =>
  text !== '' && text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= KEY_BYTES_MAX

export const isRegion = (text: string): boolean => /^[a-z0-9-]{1,32}$/.test(text)

function checkEndpoint(net: Net, endpoint: string): void {
  const url = checkAddress(net, endpoint)
  if (endpoint.length > ENDPOINT_CHARACTERS_MAX || /[?#]/.test(endpoint))
    throw new BucketError(sentence('bucket.endpoint_query', { limit: ENDPOINT_CHARACTERS_MAX }))
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

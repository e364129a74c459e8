import { sentence } from '#errors'
import { BucketError } from './bucket-error.ts'
import { type Bucket, isRegion } from './names.ts'

/** An error response to a request for a bucket or an object. */
export interface Refusal {
  host: string
  status: number
  /** S3's error code. '' if the response has none. */
  code: string
  /** The bucket's actual region, from `x-amz-bucket-region`. */
  region: string | undefined
}

const KEY_CHARACTERS_MAX = 200

/**
 * Returns an error for a refused request. The error's message says what to do. Source: Amazon S3 API Reference,
 * "Error responses", list of error codes.
 */
export function refusalOf(bucket: Bucket, key: string | null, refusal: Refusal): BucketError {
  const { host, code, region } = refusal
  const { bucket: name } = bucket
  if (isTemporary(refusal))
    return new BucketError(sentence('bucket.unavailable', { host, answer: statusOf(refusal) }), true)
  if (region !== undefined && isRegion(region) && region !== bucket.region)
    return new BucketError(sentence('bucket.wrong_region', { bucket: name, region }))
  return new BucketError(sentenceByCode(bucket, key, host, code) ?? sentenceByStatus(bucket, key, refusal))
}

/** Returns a key in a form that is safe to show in an error message: truncated, without control characters. */
export const quoteKey = (key: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  key.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?').slice(0, KEY_CHARACTERS_MAX)

const isTemporary = ({ status, code }: Refusal): boolean =>
  status === 429 || (status >= 500 && status !== 501) || code === 'RequestTimeout'

const statusOf = ({ status, code }: Refusal): string => `status ${status}${code === '' ? '' : `, ${code}`}`

function sentenceByCode(
  { bucket }: Bucket,
  key: string | null,
  host: string,
  code: string,
): string | undefined {
  switch (code) {
    case 'NoSuchBucket':
      return sentence('bucket.not_found', { host, bucket })
    case 'NoSuchKey':
      if (key !== null) return sentence('bucket.object_gone', { key: quoteKey(key), bucket })
      return sentence('bucket.not_listed', { host, bucket })
    case 'InvalidAccessKeyId':
      return sentence('bucket.unknown_access_key', { host })
    case 'SignatureDoesNotMatch':
      return sentence('bucket.signature', { host })
    case 'InvalidToken':
    case 'ExpiredToken':
      return sentence('bucket.session_token', { host })
    case 'AuthorizationHeaderMalformed':
      return sentence('bucket.signature_region', { host, bucket })
    case 'RequestTimeTooSkewed':
      return sentence('bucket.clock', { host })
    case 'InvalidObjectState':
      return key === null
        ? sentence('bucket.archived', { bucket })
        : sentence('bucket.object_archived', { key: quoteKey(key), bucket })
  }
  return undefined
}

function sentenceByStatus({ bucket, accessKeyId }: Bucket, key: string | null, refusal: Refusal): string {
  const { host, status } = refusal
  if (status >= 300 && status < 400) return sentence('bucket.redirect', { host, bucket })
  const isPrivate = status === 401 || status === 403
  const hasKey = accessKeyId !== undefined
  if (key === null) {
    if (isPrivate) return sentence(hasKey ? 'bucket.list_forbidden' : 'bucket.list_private', { host, bucket })
    if (status === 404) return sentence('bucket.not_found', { host, bucket })
    return sentence('bucket.list_refused', { host, bucket, answer: statusOf(refusal) })
  }
  const object = { key: quoteKey(key), bucket }
  if (isPrivate)
    return sentence(hasKey ? 'bucket.object_forbidden' : 'bucket.object_private', { host, ...object })
  if (status === 404) return sentence('bucket.object_gone', object)
  return sentence('bucket.object_refused', { host, ...object, answer: statusOf(refusal) })
}

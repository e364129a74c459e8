import { BucketError } from './bucket-error.ts'
import { type Bucket, isRegion } from './names.ts'

/** An answer that is no success. */
export interface Refusal {
  host: string
  status: number
  /** S3's own word for it; '' where the answer holds none. */
  code: string
  /** What `x-amz-bucket-region` says: where the bucket really is. */
  region: string | undefined
}

const KEY_CHARACTERS_MAX = 200

/**
 * A sentence for a refusal that says what to do about it.
 * Source: Amazon S3 API Reference, "Error responses", list of error codes.
 */
export function refusalOf(bucket: Bucket, key: string | null, refusal: Refusal): BucketError {
  const { host, code, region } = refusal
  if (isPassing(refusal))
    return new BucketError(`${host} has too much to do, or a problem of its own (${said(refusal)}).`, true)
  if (region !== undefined && isRegion(region) && region !== bucket.region)
    return new BucketError(
      `The bucket ${bucket.bucket} is in the region ${region}: give that as region, and its endpoint if you give one.`,
    )
  return new BucketError(sentenceByCode(bucket, key, host, code) ?? sentenceByStatus(bucket, key, refusal))
}

/** Tells a key in a sentence. */
export const quoteKey = (key: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  key.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?').slice(0, KEY_CHARACTERS_MAX)

const isPassing = ({ status, code }: Refusal): boolean =>
  status === 429 || (status >= 500 && status !== 501) || code === 'RequestTimeout'

const said = ({ status, code }: Refusal): string => `status ${status}${code === '' ? '' : `, ${code}`}`

function sentenceByCode(
  { bucket }: Bucket,
  key: string | null,
  host: string,
  code: string,
): string | undefined {
  switch (code) {
    case 'NoSuchBucket':
      return `${host} has no bucket called ${bucket}. Check the bucket's name, its region and its endpoint.`
    case 'NoSuchKey':
      if (key !== null) return `${quoteKey(key)} is not in the bucket ${bucket} any more.`
      return `${host} does not list the bucket ${bucket}. Check the endpoint, which must not name the bucket.`
    case 'InvalidAccessKeyId':
      return `${host} does not know this access key. Check access_key_id and the endpoint.`
    case 'SignatureDoesNotMatch':
      return `${host} did not accept the signature. Check secret_access_key.`
    case 'InvalidToken':
    case 'ExpiredToken':
      return `${host} takes this access key only with a session token, which is not supported. Give a lasting access key.`
    case 'AuthorizationHeaderMalformed':
      return `${host} did not accept the signature. Check the region of the bucket ${bucket}.`
    case 'RequestTimeTooSkewed':
      return `${host} finds that the clock of this server is wrong. The operator of this server has to set it.`
    case 'InvalidObjectState':
      return `${key === null ? 'This object' : quoteKey(key)} is archived. Restore it in the bucket ${bucket} first.`
  }
  return undefined
}

function sentenceByStatus({ bucket, accessKeyId }: Bucket, key: string | null, refusal: Refusal): string {
  const { host, status } = refusal
  const [does, action] =
    key === null
      ? [`list the bucket ${bucket}`, 's3:ListBucket']
      : [`read ${quoteKey(key)} in the bucket ${bucket}`, 's3:GetObject']
  if (status >= 300 && status < 400)
    return `${host} redirects, which is not followed. Check the region and the endpoint of the bucket ${bucket}.`
  if (status === 401 || status === 403) {
    if (accessKeyId === undefined)
      return `${host} does not let everybody ${does}. Give access_key_id and secret_access_key.`
    return `${host} does not let this access key ${does}. Grant it ${action}.`
  }
  if (status === 404 && key !== null) return `${quoteKey(key)} is not in the bucket ${bucket} any more.`
  if (status === 404)
    return `${host} has no bucket called ${bucket}. Check the bucket's name and its endpoint.`
  return `${host} refused to ${does} (${said(refusal)}).`
}

import { AwsV4Signer } from 'aws4fetch'
import { encodePart, pathOf } from './addresses.ts'

/** A bucket of S3 or an S3-compatible service, with credentials. */
export interface S3Bucket {
  endpoint: string
  region: string
  bucket: string
  /** Set both keys or neither. Without keys, requests are not signed, as for public buckets. */
  accessKeyId?: string
  secretAccessKey?: string
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Null for a request to the bucket itself. */
  key: string | null
  query?: Record<string, string>
  headers?: Record<string, string>
}

/** A request in the form that undici expects. */
export interface WireRequest {
  origin: string
  path: string
  headers: Record<string, string>
}

/** Builds a path-style request. With keys, signs it with Signature Version 4. */
export async function signRequest(bucket: S3Bucket, request: S3Request): Promise<WireRequest> {
  const { endpoint, region, accessKeyId, secretAccessKey } = bucket
  const { method, key, query = {}, headers = {} } = request
  const { origin } = new URL(endpoint)
  const pairs = Object.entries(query).map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`
  const path = pathInOrigin(bucket, key)
  if (accessKeyId === undefined || secretAccessKey === undefined)
    return { origin, path: path + search, headers }
  const who = { accessKeyId, secretAccessKey, region, service: 's3' }
  const signer = new AwsV4Signer({ ...who, method, url: origin + search, headers })
  // The signer would take the path from a URL, which resolves `.` and `..`. In a key these are ordinary names.
  signer.encodedPath = path
  const signed = await signer.sign()
  return { origin, path: path + search, headers: { ...headers, ...Object.fromEntries(signed.headers) } }
}

/** Returns the path of a key, or of the bucket itself, within the endpoint's origin. */
export function pathInOrigin({ endpoint, bucket }: S3Bucket, key: string | null): string {
  const base = pathOf(decodeURIComponent(new URL(endpoint).pathname)).replace(/\/+$/, '')
  return `${base}/${bucket}${key === null ? '' : `/${pathOf(key)}`}`
}

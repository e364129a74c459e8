import { expect } from 'vitest'
import { type Bucket, BucketError, listObjects } from '#platform/bucket/bucket.ts'
import type { Net } from '#platform/net/index.ts'
import { type Answer, send, type Website } from './website.ts'

/** Helpers for tests in which a website emulates an S3 bucket. */

const SECRET = 'the-secret-itself'
const SAID_BY_SERVER = 'words of the server'

/** Returns the bucket `files` on a test server. */
export const bucketAt = (server: Website): Bucket => ({
  bucket: 'files',
  region: 'eu-central-1',
  endpoint: server.at('', 's3.example'),
  accessKeyId: 'KEY',
  secretAccessKey: SECRET,
})

export interface ListedEntry {
  key?: string
  size?: string
  time?: string
}

export const listEntry = ({ key = 'a', size = '1', time = '2026-01-01T00:00:00Z' }: ListedEntry): string =>
  `<Contents><Key>${key}</Key><Size>${size}</Size><LastModified>${time}</LastModified></Contents>`

export const listRoot = (content: string): string => `<ListBucketResult>${content}</ListBucketResult>`

/** Returns one page of a bucket listing. With `token`, the listing has a next page. */
export const listPage = (entries: ListedEntry[], token?: string): string =>
  listRoot(
    entries.map(listEntry).join('') +
      (token === undefined
        ? '<IsTruncated>false</IsTruncated>'
        : `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`),
  )

export const refuse = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  send(
    'application/xml',
    `<Error><Code>${code}</Code><Message>${SAID_BY_SERVER}</Message></Error>`,
    headers,
    status,
  )

export async function listKeys(net: Net, bucket: Bucket): Promise<string[]> {
  const keys: string[] = []
  for await (const found of listObjects(net, bucket, new AbortController().signal))
    keys.push(...found.map(({ key }) => key))
  return keys
}

/**
 * Returns the BucketError that `work` rejects with. Checks that the error contains no secret, no signature and
 * nothing that the server sent.
 */
export async function bucketFailureOf(work: Promise<unknown>): Promise<BucketError> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(BucketError)
  const { message, stack, cause } = failure as BucketError
  expect(`${message} ${stack} ${String(cause)}`).not.toMatch(
    new RegExp(`${SECRET}|Signature=|[0-9a-f]{64}|${SAID_BY_SERVER}`),
  )
  return failure as BucketError
}

import { rm } from 'node:fs/promises'
import { sentence } from '#errors'
import {
  type Bucket,
  BucketError,
  type BucketObject,
  listObjects,
  quoteKey,
  readObject,
} from '#platform/bucket/bucket.ts'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import { DocumentError } from '#platform/documents/documents.ts'
import type { FoundEncoding } from '#platform/documents/text-encoding.ts'
import { newIncomingPath } from '#platform/storage/local-file.ts'
import type { IngestionDependencies } from './ingestion.ts'
import type { ReadingResult, ReadingSource } from './reading.ts'
import { type S3Config, toBucket } from './source-config.ts'
import { confirmDocuments, type FoundDocument, storeDocument } from './store-document.ts'
import { hashOf, textKindOf } from './text-kind.ts'

const OBJECTS_AT_ONCE = 4

/**
 * Stores each object whose extension is that of a text file. The document's key is the object's key. Does not download
 * objects whose ETag is unchanged.
 */
export async function readBucket(
  deps: IngestionDependencies,
  source: ReadingSource,
  signal: AbortSignal,
): Promise<ReadingResult> {
  const bucket = bucketOf(deps, source)
  let skipped = 0
  for await (const page of listObjects(deps.services.net, bucket, signal)) {
    const objects = page.filter(({ key }) => holdsText(key))
    skipped += page.length - objects.length
    const known = await confirmDocuments(
      deps,
      source,
      objects.map((object) => ({ key: object.key, fingerprint: object.etag })),
    )
    const changed = objects.filter(({ key }) => !known.has(key)).values()
    const ending = new AbortController()
    const bounded = AbortSignal.any([signal, ending.signal])
    const work = async (): Promise<void> => {
      for (const object of changed) await storeObject(deps, source, bucket, object, bounded)
    }
    // An error that affects all objects, such as a bucket that becomes inaccessible, also stops the other workers.
    await Promise.all(Array.from({ length: OBJECTS_AT_ONCE }, work)).catch((error: unknown) => {
      ending.abort(error)
      throw error
    })
  }
  return { isComplete: true, skipped }
}

function bucketOf({ services: { secrets } }: IngestionDependencies, source: ReadingSource): Bucket {
  const secret =
    source.secrets === null ? {} : { secret_access_key: secrets.decrypt(source.secrets, source.sourceId) }
  return toBucket({ ...(source.config as S3Config), ...secret })
}

const TEXT_EXTENSIONS = new Set(
  [...ACCEPTED_TYPES.values()].filter(({ hasText }) => hasText).flatMap(({ extensions }) => extensions),
)

const holdsText = (key: string): boolean => TEXT_EXTENSIONS.has(key.split('.').at(-1)?.toLowerCase() ?? '')

async function storeObject(
  deps: IngestionDependencies,
  source: ReadingSource,
  bucket: Bucket,
  object: BucketObject,
  signal: AbortSignal,
): Promise<void> {
  const { key, size, etag, lastModified } = object
  const document = {
    key,
    name: key.split('/').at(-1) || key,
    size,
    metadata: { key, last_modified: lastModified },
    fingerprint: etag,
  }
  const path = await newIncomingPath(deps.services.config.dataDir)
  try {
    const { encoding, ...read } = await readFile(deps, bucket, object, path, signal)
    const metadata = {
      ...document.metadata,
      ...(encoding && { encoding: encoding.encoding }),
      ...(encoding?.isDoubtful && { encoding_doubtful: true }),
    }
    await storeDocument(deps, source, { ...document, ...read, metadata })
  } catch (error) {
    const isItsOwn = (error instanceof DocumentError || error instanceof BucketError) && !error.canTryAgain
    if (!isItsOwn) throw error
    const mimeType = 'application/octet-stream'
    await storeDocument(deps, source, { ...document, mimeType, text: { failure: error.message } })
  } finally {
    await rm(path, { force: true })
  }
}

async function readFile(
  { services: { net, documents, config } }: IngestionDependencies,
  bucket: Bucket,
  { key, size: listedSize }: BucketObject,
  path: string,
  signal: AbortSignal,
): Promise<Pick<FoundDocument, 'mimeType' | 'size' | 'text'> & { encoding?: FoundEncoding }> {
  const empty = (): Error => new BucketError(sentence('bucket.object_empty', { key: quoteKey(key) }))
  if (listedSize === 0) throw empty()
  const { size } = await readObject(net, bucket, key, { path, maxBytes: config.maxUploadBytes }, signal)
  if (size === 0) throw empty()
  const mimeType = await detectType(path, key)
  if (mimeType === null || !ACCEPTED_TYPES.get(mimeType)?.hasText)
    throw new DocumentError(sentence('document.not_its_type'))
  const { text, encoding } = await documents.extractText({ path, contentType: mimeType })
  const content = { content: text, hash: hashOf(text), kind: textKindOf(mimeType) }
  return { mimeType, size, text: content, ...(encoding && { encoding }) }
}

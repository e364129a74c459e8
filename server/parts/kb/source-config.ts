import Type, { type Static } from 'typebox'
import { fail } from '#errors'
import { type Bucket, BucketError, checkBucket } from '#platform/bucket/bucket.ts'
import { PAGES_MAX } from '#platform/crawler/crawl.ts'
import { Body, Enum, NAME, NOT_BLANK, Uuid } from '#platform/http/schemas.ts'
import { compileValidator, validationError } from '#platform/http/validation.ts'
import { type Net, NetError } from '#platform/net/index.ts'

export const SOURCE_TYPES = ['web', 's3', 'file', 'text'] as const

/** Maximum number of settings of a source. Each type has fewer. */
const SETTINGS_MAX = 20

export const NewSource = Body(
  {
    type: Enum(SOURCE_TYPES, { description: 'Type of the source.' }),
    config: Type.Object(
      {},
      {
        additionalProperties: true,
        maxProperties: SETTINGS_MAX,
        description:
          'Settings by type. web: url, max_pages (1), max_depth (0), refresh_interval_hours. s3: bucket, prefix, region, endpoint, access_key_id, secret_access_key, refresh_interval_hours. file: upload_ids. text: name, content.',
      },
    ),
  },
  { title: 'NewSource' },
)
export type NewSource = Static<typeof NewSource>

/** @limit files of a source */
const FILES_MAX = 100
/** @limit links from the first page of a website to the last one */
const DEPTH_MAX = 20
/** @limit URL of a source */
const ADDRESS_CHARACTERS_MAX = 2_000
/** @limit name of a text */
const NAME_CHARACTERS_MAX = 200
/** @limit text that is a source */
const CONTENT_CHARACTERS_MAX = 2_000_000
/** @limit time between two readings of a source */
const REFRESH_HOURS_MAX = 8_760
const RefreshHours = Type.Optional(Type.Integer({ minimum: 1, maximum: REFRESH_HOURS_MAX }))
const Address = Type.String({ format: 'uri', maxLength: ADDRESS_CHARACTERS_MAX })
const Key = Type.String({ minLength: 1, maxLength: 200 })

/** A website, crawled from one URL. */
const WebConfig = Body({
  url: Address,
  max_pages: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGES_MAX })),
  max_depth: Type.Optional(Type.Integer({ minimum: 0, maximum: DEPTH_MAX })),
  refresh_interval_hours: RefreshHours,
})
export type WebConfig = Static<typeof WebConfig>

/** An S3-compatible bucket. Without keys, requests are anonymous. */
const S3Config = Body({
  bucket: Type.String({ minLength: 1, maxLength: 63 }),
  prefix: Type.Optional(Type.String({ maxLength: 1_024 })),
  region: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
  endpoint: Type.Optional(Address),
  access_key_id: Type.Optional(Key),
  secret_access_key: Type.Optional(Key),
  refresh_interval_hours: RefreshHours,
})
export type S3Config = Static<typeof S3Config>

/** Files that the caller uploaded, with kb/upload_file or in a chat. */
const FileConfig = Body({
  upload_ids: Type.Array(Uuid, { minItems: 1, maxItems: FILES_MAX, uniqueItems: true }),
})
export type FileConfig = Static<typeof FileConfig>

const TextConfig = Body({
  name: Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX, ...NAME }),
  content: Type.String({ minLength: 1, maxLength: CONTENT_CHARACTERS_MAX, ...NOT_BLANK }),
})
export type TextConfig = Static<typeof TextConfig>

export type SourceConfig =
  | { type: 'web'; config: WebConfig }
  | { type: 's3'; config: S3Config }
  | { type: 'file'; config: FileConfig }
  | { type: 'text'; config: TextConfig }

const VALIDATORS = Object.fromEntries(
  Object.entries({ web: WebConfig, s3: S3Config, file: FileConfig, text: TextConfig }).map(
    ([type, config]) => [type, compileValidator(Type.Object({ config }), 'body')],
  ),
) as Record<NewSource['type'], ReturnType<typeof compileValidator>>

/**
 * Validates a new source. Throws request.invalid if the config doesn't fit the type, and kb.source_invalid if the
 * server must not request the address.
 */
export function checkSource(net: Net, { type, config }: NewSource): SourceConfig {
  const validate = VALIDATORS[type]
  if (!validate({ config })) throw validationError(validate.errors ?? [], 'config')
  const source = { type, config } as unknown as SourceConfig
  try {
    if (source.type === 'web') net.checkUrl(source.config.url)
    if (source.type === 's3') checkBucket(net, toBucket(source.config))
  } catch (error) {
    if (!(error instanceof NetError || error instanceof BucketError)) throw error
    throw fail('kb.source_invalid', { reason: error.message })
  }
  return source
}

/**
 * Validates a stored source and returns its public config. The stored config of a text source omits the content,
 * which is in the source's document. Throws the errors of checkSource.
 */
export function checkStoredSource(net: Net, source: NewSource): Record<string, unknown> {
  const isText = source.type === 'text'
  const config = isText ? { ...source.config, content: '-' } : source.config
  return splitSecrets(checkSource(net, { ...source, config })).publicConfig
}

const FALLBACK_REGION = 'us-east-1'

export const toBucket = (config: S3Config): Bucket => ({
  bucket: config.bucket,
  region: config.region ?? FALLBACK_REGION,
  ...(config.prefix !== undefined && { prefix: config.prefix }),
  ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
  ...(config.access_key_id !== undefined && { accessKeyId: config.access_key_id }),
  ...(config.secret_access_key !== undefined && { secretAccessKey: config.secret_access_key }),
})

/** Splits a config into a public part, which is stored unencrypted, and the secret. */
export function splitSecrets({ type, config }: SourceConfig): {
  publicConfig: Record<string, unknown>
  secret: string | null
} {
  if (type === 'text') return { publicConfig: { name: config.name }, secret: null }
  if (type !== 's3') return { publicConfig: config, secret: null }
  const { secret_access_key: secret, ...publicConfig } = config
  return { publicConfig, secret: secret ?? null }
}

export const refreshHoursOf = (config: Record<string, unknown>): number | null =>
  (config['refresh_interval_hours'] as number | undefined) ?? null

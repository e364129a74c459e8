import Type, { type Static } from 'typebox'
import type { llmModels } from '#database/schema/llm.ts'
import { Body, Enum, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { guessCapabilities } from '#platform/models/index.ts'
import { PROVIDERS, type Provider } from '#platform/models/types.ts'

export const CAPABILITIES = [
  'text',
  'vision',
  'reasoning',
  'tools',
  'image',
  'video',
  'embedding',
  'transcription',
] as const

const Name = Type.String({ minLength: 1, maxLength: 200 })
const Ratio = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Credits for one token (contract: weighted usage); 1 where absent',
})
const Ratios = {
  input_ratio: Type.Optional(Ratio),
  output_ratio: Type.Optional(Ratio),
  seconds_ratio: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Credits for a second of a recording; 1 where absent',
    }),
  ),
}

const Settings = {
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The provider's own name; `version` where absent",
    }),
  ),
  base_url: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })),
  ...Ratios,
  context_window: Type.Optional(Type.Integer({ minimum: 256, maximum: 100_000_000, description: 'Tokens' })),
  capabilities: Type.Optional(Type.Array(Enum(CAPABILITIES), { maxItems: CAPABILITIES.length })),
}

export const NewConfig = Body({
  ...Settings,
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Write-only: stored encrypted, never returned',
    }),
  ),
})

export const NewModel = Body({
  name: Name,
  provider: Enum(PROVIDERS),
  version: Name,
  is_active: Type.Optional(Type.Boolean({ default: true })),
  config: Type.Optional(NewConfig),
})
export type NewModel = Static<typeof NewModel>

export const ModelChange = Body({
  name: Type.Optional(Name),
  version: Type.Optional(Name),
  is_active: Type.Optional(Type.Boolean()),
  config: Type.Optional(NewConfig),
})
export type ModelChange = Static<typeof ModelChange>

export const EnvironmentModelChange = Body({
  is_active: Type.Optional(Type.Boolean()),
  ...Ratios,
})
export type EnvironmentModelChange = Static<typeof EnvironmentModelChange>

export const ModelView = Type.Object(
  {
    id: Uuid,
    organization_id: Nullable(Uuid),
    name: Type.String(),
    provider: Type.String(),
    version: Type.String(),
    is_active: Type.Boolean(),
    config: Type.Object({ ...Settings, has_api_key: Type.Boolean() }),
    created_by: Nullable(Uuid),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'LanguageModel',
    description:
      'organization_id is null for a model that was found through the environment, or is built in.',
  },
)
export type ModelView = Static<typeof ModelView>

export const ModelTest = Type.Object(
  {
    successful: Type.Boolean(),
    message: Type.String({ description: 'What the model answered, or what went wrong' }),
    latency_ms: Type.Integer(),
  },
  { title: 'ModelTest' },
)

/** What a model can: what its config says, else what its name tells. */
export const capabilitiesOf = ({
  provider,
  version,
  config,
}: Pick<ModelRow, 'provider' | 'version' | 'config'>): readonly string[] =>
  config.capabilities ?? guessCapabilities(provider as Provider, config.model ?? version)

export type ModelRow = typeof llmModels.$inferSelect

export const viewModel = (row: ModelRow): ModelView => ({
  id: row.id,
  organization_id: row.organizationId,
  name: row.name,
  provider: row.provider,
  version: row.version,
  is_active: row.isActive,
  config: {
    ...(row.config as ModelView['config']),
    capabilities: capabilitiesOf(row) as (typeof CAPABILITIES)[number][],
    has_api_key: row.apiKey !== null,
  },
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

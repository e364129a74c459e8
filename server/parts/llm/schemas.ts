import Type, { type Static } from 'typebox'
import type { llmModels } from '#database/schema/llm.ts'
import { ChangeOf } from '#platform/http/merge-fields.ts'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  idOf,
  Nullable,
  ObjectId,
  PLAIN_NAME,
  UpdatedAt,
} from '#platform/http/schemas.ts'
import { guessCapabilities } from '#platform/models/index.ts'
import { OMITTABLE, PROVIDERS, type Provider } from '#platform/models/types.ts'

export const CAPABILITIES = [
  'text',
  'vision',
  'reasoning',
  'tools',
  'image',
  'video',
  'embedding',
  'transcription',
  'speech',
] as const
export type Capability = (typeof CAPABILITIES)[number]

/** The provider of models that are routes. */
export const ROUTE = 'route'

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  [PLAIN_NAME]: true,
  description: 'Name, unique within the organization.',
})
const Ratio = Type.Number({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Credits per token. Default: 1.',
})
const Ratios = {
  input_ratio: Type.Optional(described(Ratio, 'Credits per input token. Default: 1.')),
  output_ratio: Type.Optional(described(Ratio, 'Credits per output token. Default: 1.')),
  seconds_ratio: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Credits per second of a recording. Default: 1.',
    }),
  ),
}

const MEMBERS_MAX = 20
const FIRST_TOKEN_SECONDS_MAX = 120

const Route = Body(
  {
    strategy: Enum(['ordered', 'weighted'], {
      description:
        '`ordered` tries the members as listed. `weighted` draws the first member by its weight, then the next ones.',
    }),
    members: Type.Array(
      Body({
        model_id: idOf('the member: a model of the organization or of the installation, and no route'),
        weight: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1000, description: 'Weight for `weighted`. Default: 1.' }),
        ),
      }),
      { minItems: 1, maxItems: MEMBERS_MAX, description: 'Models that the route tries.' },
    ),
    first_token_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: FIRST_TOKEN_SECONDS_MAX,
        description:
          'Seconds until the next member is tried if a member has no output, reasoning included. The last member has 130 seconds, as without this setting.',
      }),
    ),
  },
  { description: 'Required for the provider `route`, whose models have no other setting.' },
)
export type Route = Static<typeof Route>

const Settings = {
  model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The provider's name of the model. Default: `version`.",
    }),
  ),
  base_url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: 2000,
      description: "Base URL of the provider's API. Default: the provider's public one.",
    }),
  ),
  ...Ratios,
  context_window: Type.Optional(
    Type.Integer({ minimum: 256, maximum: 100_000_000, description: 'Context window, in tokens.' }),
  ),
  capabilities: Type.Optional(
    Type.Array(Enum(CAPABILITIES), {
      maxItems: CAPABILITIES.length,
      description: 'Capabilities of the model. By default, derived from its name.',
    }),
  ),
  omit: Type.Optional(
    Type.Array(Enum(OMITTABLE), {
      maxItems: OMITTABLE.length,
      description:
        "Fields that requests to a server of OpenAI's format leave out, if it refuses them without naming them.",
    }),
  ),
  connection_id: Type.Optional(
    idOf('the connection whose key and base URL the model uses, instead of `api_key` and `base_url`'),
  ),
  route: Type.Optional(Route),
}

export const NewConfig = Body(
  {
    ...Settings,
    api_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'API key for the provider. Write-only: stored encrypted, never returned.',
      }),
    ),
  },
  { description: 'Settings of the model.' },
)

export const NewModel = Body({
  name: described(Name, 'Display name of the model.'),
  provider: Enum([...PROVIDERS, ROUTE], {
    description: 'Provider of the model. `route` is for routes to other models.',
  }),
  version: described(Name, 'Version of the model, as the provider names it.'),
  is_active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the model can be used.' })),
  config: Type.Optional(NewConfig),
})
export type NewModel = Static<typeof NewModel>

export const ModelChange = Body({
  name: Type.Optional(described(Name, 'Display name of the model.')),
  version: Type.Optional(described(Name, 'Version of the model, as the provider names it.')),
  is_active: Type.Optional(Type.Boolean({ description: 'Whether the model can be used.' })),
  config: Type.Optional(ChangeOf(NewConfig)),
})
export type ModelChange = Static<typeof ModelChange>

export const EnvironmentModelChange = Body({
  is_active: Type.Optional(Type.Boolean({ description: 'Whether the model can be used.' })),
  ...Ratios,
})
export type EnvironmentModelChange = Static<typeof EnvironmentModelChange>

export const ModelView = Type.Object(
  {
    id: ObjectId,
    organization_id: Nullable(
      idOf('the organization that owns the model; null for built-in models and models from the environment'),
    ),
    name: Type.String({ description: 'Display name of the model.' }),
    provider: Type.String({ description: 'Provider of the model.' }),
    version: Type.String({ description: 'Version of the model, as the provider names it.' }),
    is_active: Type.Boolean({ description: 'Whether the model can be used.' }),
    config: Type.Object(
      { ...Settings, has_api_key: Type.Boolean({ description: 'Whether the model has its own API key.' }) },
      { description: 'Settings of the model.' },
    ),
    created_by: Nullable(
      idOf('the user who created the model; null for built-in models and models from the environment'),
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    title: 'LanguageModel',
    description: '`organization_id` is null for built-in models and models from the environment.',
  },
)
export type ModelView = Static<typeof ModelView>

const DefaultIds = {
  organization_model_id: Nullable(idOf("the organization's default model; null for none")),
  own_model_id: Nullable(idOf("the caller's own default model; null for none")),
}
const { organization_model_id, own_model_id } = DefaultIds

export const OrganizationDefault = Body({ organization_model_id })
export const OwnDefault = Body({ own_model_id })

export const DefaultModels = Type.Object(
  {
    model_id: Nullable(
      idOf('the model that new chats and agents of the caller start with; null without a text model'),
    ),
    ...DefaultIds,
  },
  { title: 'DefaultModels' },
)
export type DefaultModels = Static<typeof DefaultModels>

const Health = {
  state: Enum(['healthy', 'degraded', 'down'], {
    description:
      '`degraded` after a failure, and `down` after three consecutive ones. A route is `down` if all members are.',
  }),
  error: Nullable(Type.String({ description: 'Last error. Null for a healthy model.' })),
  since: Nullable(
    Type.String({ format: 'date-time', description: 'Time of the first consecutive failure, or null.' }),
  ),
}

export const ModelTest = Type.Object(
  {
    successful: Type.Boolean({ description: 'Whether the model replied.' }),
    message: Type.String({ description: 'Reply of the model, or the reason for the failure.' }),
    latency_ms: Type.Integer({ description: 'Duration of the call, in milliseconds.' }),
  },
  { title: 'ModelTest' },
)

export const ModelHealthView = Type.Object(
  {
    id: idOf('the model'),
    name: Type.String({ description: 'Display name of the model.' }),
    provider: Type.String({ description: 'Provider of the model.' }),
    ...Health,
    members: Type.Optional(
      Type.Array(
        Type.Object({
          id: idOf('the member'),
          name: Type.String({ description: 'Display name of the member.' }),
          ...Health,
        }),
        { description: 'Members of a route.' },
      ),
    ),
  },
  { title: 'LanguageModelHealth' },
)
export type ModelHealthView = Static<typeof ModelHealthView>

/** Returns a model's configured capabilities, or guesses them from its name if none are configured. */
export const capabilitiesOf = ({ provider, version, config }: DescribedModel): readonly string[] =>
  config.capabilities ?? guessCapabilities(provider as Provider, config.model ?? version)

/**
 * Returns the capabilities that all members of a route have. Never `embedding`, because the vectors of different models
 * cannot be compared.
 */
export function sharedCapabilities(members: readonly DescribedModel[]): string[] {
  const [first = [], ...others] = members.map(capabilitiesOf)
  return first.filter(
    (capability) => capability !== 'embedding' && others.every((other) => other.includes(capability)),
  )
}

export type ModelRow = typeof llmModels.$inferSelect & { members?: readonly DescribedModel[] | null }
type DescribedModel = Pick<typeof llmModels.$inferSelect, 'provider' | 'version' | 'config'>

export const viewModel = (row: ModelRow): ModelView => ({
  id: row.id,
  organization_id: row.organizationId,
  name: row.name,
  provider: row.provider,
  version: row.version,
  is_active: row.isActive,
  config: {
    ...(row.config as ModelView['config']),
    ...(row.connectionId !== null && { connection_id: row.connectionId }),
    capabilities: (row.members ? sharedCapabilities(row.members) : capabilitiesOf(row)) as Capability[],
    has_api_key: row.apiKey !== null,
  },
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

import Type, { type Static } from 'typebox'
import type { llmConnections } from '#database/schema/llm.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  Enum,
  Nullable,
  ObjectId,
  OrganizationId,
  PLAIN_NAME,
  UpdatedAt,
} from '#platform/http/schemas.ts'
import { PROVIDERS } from '#platform/models/types.ts'
import { CAPABILITIES } from './schemas.ts'

const CONNECTED = PROVIDERS.filter((provider) => provider !== 'demo')

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  [PLAIN_NAME]: true,
  description: 'Name, unique within the organization.',
})
const ApiKey = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'API key for the provider. Write-only: stored encrypted, never returned.',
})
const BaseUrl = Type.String({
  format: 'uri',
  maxLength: 2000,
  description: "Base URL of the provider's API. Default: the provider's public one.",
})
const Provider = Enum(CONNECTED, { description: 'Provider of the models.' })

export const NewConnection = Body({
  name: Name,
  provider: Provider,
  api_key: Type.Optional(ApiKey),
  base_url: Type.Optional(BaseUrl),
})
export type NewConnection = Static<typeof NewConnection>

export const ConnectionChange = Body({
  name: Type.Optional(Name),
  api_key: Type.Optional(ApiKey),
  base_url: Type.Optional(Nullable(BaseUrl)),
})
export type ConnectionChange = Static<typeof ConnectionChange>

export const ConnectionView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    name: Name,
    provider: Provider,
    base_url: Nullable(BaseUrl),
    has_api_key: Type.Boolean({ description: 'Whether the connection has an API key.' }),
    created_by: CreatedBy,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'ModelConnection' },
)
export type ConnectionView = Static<typeof ConnectionView>

export const OfferedModels = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        version: Type.String({ description: "The provider's name of the model." }),
        context_window: Nullable(
          Type.Integer({ description: 'Context window, in tokens. Null if the provider reports none.' }),
        ),
        capabilities: Type.Array(Enum(CAPABILITIES), {
          description: 'Capabilities of the model, derived from its name.',
        }),
      }),
      { description: 'Models that the provider offers, at most 500.' },
    ),
  },
  { title: 'OfferedModels' },
)
export type OfferedModels = Static<typeof OfferedModels>

export type ConnectionRow = typeof llmConnections.$inferSelect

export const viewConnection = (row: ConnectionRow): ConnectionView => ({
  id: row.id,
  organization_id: row.organizationId,
  name: row.name,
  provider: row.provider as ConnectionView['provider'],
  base_url: row.baseUrl,
  has_api_key: row.apiKey !== null,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

import Type, { type Static } from 'typebox'
import type { minuteLimits } from '#database/schema/ledger.ts'
import {
  Body,
  CreatedAt,
  described,
  idOf,
  Nullable,
  ObjectId,
  PageOf,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'

const REQUESTS_MAX = 1_000_000_000
const TOKENS_MAX = 1e15

const Requests = Type.Integer({
  minimum: 0,
  maximum: REQUESTS_MAX,
  description: 'Model calls per minute (UTC), without titles. Null for no limit.',
})
const Tokens = Type.Integer({
  minimum: 0,
  maximum: TOKENS_MAX,
  description: 'Input and output tokens per minute (UTC). Null for no limit.',
})

export const NewLimit = Body({
  user_id: Type.Optional(Nullable(described(Uuid, 'ID of the member.'))),
  api_key_id: Type.Optional(Nullable(described(Uuid, 'ID of the API key.'))),
  model_id: Type.Optional(Nullable(described(Uuid, 'ID of the model or route.'))),
  requests_per_minute: Type.Optional(Nullable(Requests)),
  tokens_per_minute: Type.Optional(Nullable(Tokens)),
})
export type NewLimit = Static<typeof NewLimit>

export const LimitView = Type.Object(
  {
    id: ObjectId,
    user_id: Nullable(idOf('the member; null for other limits')),
    api_key_id: Nullable(idOf('the API key; null for other limits')),
    model_id: Nullable(idOf('the model; null for other limits')),
    requests_per_minute: Nullable(Requests),
    tokens_per_minute: Nullable(Tokens),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'MinuteLimit' },
)
export type LimitView = Static<typeof LimitView>
export const LimitPage = PageOf(LimitView, 'MinuteLimitPage')

export const viewLimit = (limit: typeof minuteLimits.$inferSelect): LimitView => ({
  id: limit.id,
  user_id: limit.memberId,
  api_key_id: limit.apiKeyId,
  model_id: limit.modelId,
  requests_per_minute: limit.requestsPerMinute,
  tokens_per_minute: limit.tokensPerMinute,
  created_at: limit.createdAt.toISOString(),
  updated_at: limit.updatedAt.toISOString(),
})

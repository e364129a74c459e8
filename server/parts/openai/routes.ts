import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { OpenQuery, OrgId } from '#platform/http/schemas.ts'
import { MODEL_FAILURES } from '../llm/index.ts'
import { completeChat } from './chat-completions.ts'
import { embedTexts } from './embeddings.ts'
import type { OpenAiDependencies } from './generate.ts'
import { listModels } from './list-models.ts'
import { Response, ResponseRequest } from './response-schemas.ts'
import { respond } from './responses.ts'
import { presentIgnored } from './review-parameters.ts'
import * as schemas from './schemas.ts'

/**
 * Accepts a user's access token, an API key, or a deployment's key. The organization is that of `org_id` or of the
 * key, or else the user's personal organization.
 */
const access = { permission: 'chats:write', orgOf: 'query or personal', orDeployment: true } as const
const query = OpenQuery({ org_id: Type.Optional(OrgId) })
/** Maximum size of a request body. Sufficient for a few images in base64. */
const BODY_BYTES_MAX = 20 * 1024 * 1024
/** Maximum number of JSON values in a request body. Sufficient for many short texts. */
const EMBEDDING_VALUES_MAX = 500_000
const ERRORS = [
  'org.not_found',
  'deployment.not_api',
  'deployment.paused',
  'openai.model_not_found',
  'llm.inactive',
  'llm.not_configured',
  ...MODEL_FAILURES,
  'billing.insufficient_credits',
  'billing.key_budget_exceeded',
  'billing.member_budget_exceeded',
] as const
const GENERATION_ERRORS = [
  ...ERRORS,
  'agent.inactive',
  'llm.cannot_chat',
  'llm.cannot_see',
  'openai.agent_has_tools',
  'openai.parameter_refused',
  'deployment.daily_limit',
] as const

/** Routes for OpenAI clients (contract, 10). Clients use the base URL `{base_url}/openai/v1`. */
export const openAiRoutes = (deps: OpenAiDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/openai/v1/chat/completions',
    summary: 'Create a chat completion',
    description:
      "Compatible with OpenAI's Chat Completions API. `model` is the name or ID of a model or agent; for a public " +
      "agent of another organization, only the ID. With a deployment's key, its agent replies, whatever `model` " +
      'says. An agent calls its own tools; a model returns calls of the tools in the request to the client. ' +
      'Nothing is stored. A field that changes the reply is passed on to the model, or refused by name if its ' +
      'provider does not accept it. Hints that the provider does not know, such as `metadata`, are listed in ' +
      '`X-Ignored-Parameters`. Unknown fields are ignored.',
    access,
    query,
    body: schemas.ChatCompletionRequest,
    example: { model: 'Shop assistant', messages: [{ role: 'user', content: HOURS }] },
    bodyLimits: { bytes: BODY_BYTES_MAX },
    effects: 'outside once',
    reply: {
      view: schemas.ChatCompletion,
      orEvents: Type.String(),
      description: 'The completion. With `stream`, its chunks and then `[DONE]`.',
    },
    errors: GENERATION_ERRORS,
    present: presentIgnored,
    handler: ({ scope, deployment, body, disconnected }) =>
      completeChat(deps, { scope, deployment }, body, disconnected()),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/responses',
    summary: 'Create a response',
    description:
      "Compatible with OpenAI's Responses API, with the same rules as chat completions. Nothing is stored, so " +
      '`previous_response_id` is refused.',
    access,
    query,
    body: ResponseRequest,
    example: { model: 'Shop assistant', input: HOURS },
    bodyLimits: { bytes: BODY_BYTES_MAX },
    effects: 'outside once',
    reply: {
      view: Response,
      orEvents: Type.String(),
      description: 'The response. With `stream`, its events.',
    },
    errors: GENERATION_ERRORS,
    present: presentIgnored,
    handler: ({ scope, deployment, body, disconnected }) =>
      respond(deps, { scope, deployment }, body, disconnected()),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/models',
    summary: 'List models and agents',
    access,
    query,
    reply: [200, schemas.ModelList],
    errors: ['org.not_found', 'deployment.not_api', 'deployment.paused', 'agent.inactive'],
    handler: ({ scope, deployment }) => listModels(deps, { scope, deployment }),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/embeddings',
    summary: 'Create embeddings',
    description:
      "Compatible with OpenAI's Embeddings API. `model` is the name or ID of a model with the capability embedding. " +
      'Accepts texts only, not arrays of tokens.',
    access,
    query,
    body: schemas.EmbeddingRequest,
    example: { model: 'text-embedding-3-small', input: HOURS },
    bodyLimits: { bytes: BODY_BYTES_MAX, values: EMBEDDING_VALUES_MAX },
    effects: 'outside',
    reply: [200, schemas.EmbeddingList],
    errors: [...ERRORS, 'llm.not_found', 'kb.not_embedding', 'openai.no_agent_embeddings'],
    handler: ({ scope, deployment, body, disconnected }) =>
      embedTexts(deps, { scope, deployment }, body, disconnected()),
  }),
]

import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { described, OpenQuery } from '#platform/http/schemas.ts'
import {
  access,
  GENERATION_ERRORS,
  LIST_ERRORS,
  MODEL_ERRORS,
  ModelParams,
  type OpenAiDependencies,
  presentIgnored,
  query,
} from '../openai/index.ts'
import { countMessageTokens, createMessage } from './create-message.ts'
import { getModelInfo, listModelPage } from './list-models.ts'
import * as schemas from './schemas.ts'

/** Maximum size of a request body, as in Anthropic's API. */
const BODY_BYTES_MAX = 32 * 1024 * 1024
/** The inputs of tool calls keep the digits of large numbers. */
const bodyLimits = { bytes: BODY_BYTES_MAX, keepsDigits: 'input' }
const PAGE_MAX = 1_000

const ModelId = Type.String({ minLength: 1, maxLength: 200 })
const PageQuery = OpenQuery({
  ...query.properties,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 20, description: 'Maximum number of models.' }),
  ),
  after_id: Type.Optional(described(ModelId, 'ID after which the page begins.')),
  before_id: Type.Optional(described(ModelId, 'ID before which the page ends.')),
})

/** Routes for Anthropic clients. Clients use the base URL `{base_url}/anthropic`. */
export const anthropicRoutes = (deps: OpenAiDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/anthropic/v1/messages',
    summary: 'Create a message',
    description:
      "Compatible with Anthropic's Messages API, for every model. `model` is the name or ID of a model or agent; for " +
      "a public agent of another organization, only the ID. With a deployment's key, its agent replies, whatever " +
      '`model` says. An agent calls its own tools; a model returns calls of the tools in the request to the client. ' +
      'Nothing is stored. Models receive the text of documents. A field that changes the reply is passed on to the ' +
      'model, or refused by name if its provider does not accept it. Hints and unknown fields that the provider does ' +
      'not receive, such as `cache_control`, are listed in `X-Ignored-Parameters`.',
    access,
    query,
    body: schemas.MessagesRequest,
    example: { model: 'Shop assistant', max_tokens: 1_024, messages: [{ role: 'user', content: HOURS }] },
    bodyLimits,
    effects: 'outside once',
    reply: {
      view: schemas.MessageView,
      orEvents: Type.String(),
      description: 'The message. With `stream`, its events.',
    },
    errors: [...GENERATION_ERRORS, 'anthropic.no_threads'],
    present: presentIgnored,
    handler: ({ scope, deployment, body, client, disconnected }) =>
      createMessage(deps, { scope, deployment }, body, disconnected(), client.requestId),
  }),
  defineRoute({
    method: 'POST',
    url: '/anthropic/v1/messages/count_tokens',
    summary: 'Count the tokens of a message',
    description: 'Counts locally and without charge. The count of the provider may differ by a few percent.',
    access,
    query,
    body: schemas.CountRequest,
    example: { model: 'Shop assistant', messages: [{ role: 'user', content: HOURS }] },
    bodyLimits,
    effects: 'outside',
    reply: [200, schemas.TokenCount],
    errors: [
      ...MODEL_ERRORS,
      'anthropic.no_threads',
      'llm.inactive',
      'llm.not_configured',
      'llm.cannot_chat',
      'server.unavailable',
    ],
    handler: ({ scope, deployment, body }) => countMessageTokens(deps, { scope, deployment }, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/anthropic/v1/models',
    summary: 'List models and agents for Anthropic clients',
    access,
    query: PageQuery,
    reply: [200, schemas.ModelPage],
    errors: LIST_ERRORS,
    handler: ({ scope, deployment, query }) => listModelPage(deps, { scope, deployment }, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/anthropic/v1/models/:model',
    summary: 'Get a model or agent for Anthropic clients',
    access,
    params: ModelParams,
    query,
    reply: [200, schemas.ModelInfo],
    errors: MODEL_ERRORS,
    handler: ({ scope, deployment, params }) => getModelInfo(deps, { scope, deployment }, params.model),
  }),
]

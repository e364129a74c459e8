import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { ANSWER, HOURS } from '#platform/http/example-values.ts'
import { OpenQuery } from '#platform/http/schemas.ts'
import { presentIgnored } from '../review-parameters.ts'
import { access, BODY_BYTES_MAX, GENERATION_ERRORS, query } from '../route-options.ts'
import { compact } from './compaction.ts'
import { cancelResponse, getResponse, listInput, removeResponse } from './manage-responses.ts'
import { type ResponseDependencies, respond } from './respond.ts'
import {
  Compaction,
  CompactionRequest,
  DeletedResponse,
  ID_MAX,
  ItemList,
  ItemPageQuery,
  Response,
  ResponseRequest,
} from './schemas.ts'

const params = Type.Object({
  response_id: Type.String({ maxLength: ID_MAX, description: 'ID of the response, such as `resp_…`.' }),
})
const FIND_ERRORS = [
  'org.not_found',
  'deployment.not_api',
  'deployment.paused',
  'openai.response_not_found',
] as const

/** Routes of OpenAI's Responses. */
export const responseRoutes = (deps: ResponseDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/openai/v1/responses',
    summary: 'Create a response',
    description:
      "Compatible with OpenAI's Responses API, with the same rules as chat completions. The response is stored for the " +
      "organization's `response_retention_days`, unless `store` is false. To continue it, send `previous_response_id`, " +
      'or refer to its items with `item_reference`. `conversation` continues a conversation instead. Only the same user can continue or retrieve a stored response; with ' +
      "an API key or a deployment's key, only the same key. `background` is refused. A WebSocket at " +
      'this URL accepts the same requests.',
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
    errors: [
      ...GENERATION_ERRORS,
      'openai.previous_not_found',
      'openai.conversation_not_found',
      'openai.item_not_found',
    ],
    present: presentIgnored,
    handler: ({ scope, deployment, body, disconnected }) =>
      respond(deps, { scope, deployment }, body, disconnected()),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/responses/compact',
    summary: 'Compact a conversation',
    description:
      'A model summarizes the conversation, at the price of its tokens. Returns the user messages and a `compaction`: ' +
      'send them as the input of the next response, in place of the conversation. Only the same organization can use the ' +
      'encrypted summary.',
    access,
    query,
    body: CompactionRequest,
    example: {
      model: 'GPT-5 mini',
      input: [
        { role: 'user', content: HOURS },
        { role: 'assistant', content: ANSWER },
      ],
    },
    bodyLimits: { bytes: BODY_BYTES_MAX },
    effects: 'outside once',
    reply: [200, Compaction],
    errors: [...GENERATION_ERRORS, 'openai.previous_not_found', 'openai.item_not_found'],
    present: presentIgnored,
    handler: ({ scope, deployment, body, disconnected }) =>
      compact(deps, { scope, deployment }, body, disconnected()),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/responses/:response_id',
    summary: 'Get a stored response',
    access,
    params,
    query,
    reply: [200, Response],
    errors: FIND_ERRORS,
    handler: ({ scope, params }) => getResponse(scope, params.response_id),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/openai/v1/responses/:response_id',
    summary: 'Delete a stored response',
    description: 'Responses that continue the deleted one are kept, but cannot be continued any more.',
    access,
    params,
    query,
    effects: 'database',
    reply: [200, DeletedResponse],
    errors: FIND_ERRORS,
    handler: ({ scope, params }) => removeResponse(scope, params.response_id),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/responses/:response_id/cancel',
    summary: 'Cancel a response',
    description:
      'For clients of the OpenAI API. Always refused, because no response runs in the background. To cancel a response, ' +
      'disconnect.',
    access,
    params,
    query,
    effects: 'database',
    reply: [200, Response],
    errors: [...FIND_ERRORS, 'openai.not_in_background'],
    handler: ({ scope, params }) => cancelResponse(scope, params.response_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/responses/:response_id/input_items',
    summary: 'List the input of a stored response',
    description: 'Returns the items of `input`. The items of `previous_response_id` belong to that response.',
    access,
    params,
    query: OpenQuery({ ...query.properties, ...ItemPageQuery }),
    reply: [200, ItemList],
    errors: FIND_ERRORS,
    handler: ({ scope, params, query }) => listInput(scope, params.response_id, query),
  }),
]

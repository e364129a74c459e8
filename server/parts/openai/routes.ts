import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { completeChat } from './chat-completions.ts'
import { embedTexts } from './embeddings.ts'
import { listModels } from './list-models.ts'
import { conversationRoutes } from './responses/conversation-routes.ts'
import type { ResponseDependencies } from './responses/respond.ts'
import { responseRoutes } from './responses/routes.ts'
import { presentIgnored } from './review-parameters.ts'
import { access, BODY_BYTES_MAX, ERRORS, GENERATION_ERRORS, query } from './route-options.ts'
import * as schemas from './schemas.ts'

/** Maximum number of JSON values in a request body. Sufficient for many short texts. */
const EMBEDDING_VALUES_MAX = 500_000

/** Routes for OpenAI clients (contract, 10). Clients use the base URL `{base_url}/openai/v1`. */
export const openAiRoutes = (deps: ResponseDependencies): Route[] => [
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
  ...responseRoutes(deps),
  ...conversationRoutes,
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

import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { completeChat } from './chat-completions.ts'
import { Completion, CompletionRequest } from './completion-schemas.ts'
import { complete } from './completions.ts'
import { EmbeddingList, EmbeddingRequest } from './embedding-schemas.ts'
import { embedTexts } from './embeddings.ts'
import { openAiFileRoutes } from './file-routes.ts'
import { ImageList, ImageRequest } from './image-schemas.ts'
import { generateImage } from './images.ts'
import { getModel, listModels } from './list-models.ts'
import { Model, ModelList, ModelParams } from './model-schemas.ts'
import { conversationRoutes } from './responses/conversation-routes.ts'
import type { ResponseDependencies } from './responses/respond.ts'
import { responseRoutes } from './responses/routes.ts'
import { presentIgnored } from './review-parameters.ts'
import {
  access,
  BODY_BYTES_MAX,
  ERRORS,
  GENERATION_ERRORS,
  LIST_ERRORS,
  MODEL_ERRORS,
  query,
} from './route-options.ts'
import * as schemas from './schemas.ts'
import { speak } from './speech.ts'
import { SPEECH_FILES, SpeechRequest } from './speech-schemas.ts'
import { Transcription, TranscriptionFields } from './transcription-schemas.ts'
import { transcribe } from './transcriptions.ts'

/** Maximum number of JSON values in a request body. Sufficient for many short texts. */
const EMBEDDING_VALUES_MAX = 500_000

/** Routes for OpenAI clients. Clients use the base URL `{base_url}/openai/v1`. */
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
      'provider does not accept it. Hints and unknown fields that the provider does not receive, such as `metadata`, ' +
      'are listed in `X-Ignored-Parameters`.',
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
    url: '/openai/v1/completions',
    summary: 'Create a completion',
    description:
      "Compatible with OpenAI's older Completions API, with the same rules as chat completions. The prompt is the " +
      'message of a user.',
    access,
    query,
    body: CompletionRequest,
    example: { model: 'Shop assistant', prompt: HOURS },
    bodyLimits: { bytes: BODY_BYTES_MAX },
    effects: 'outside once',
    reply: {
      view: Completion,
      orEvents: Type.String(),
      description: 'The completion. With `stream`, its chunks and then `[DONE]`.',
    },
    errors: GENERATION_ERRORS,
    present: presentIgnored,
    handler: ({ scope, deployment, body, disconnected }) =>
      complete(deps, { scope, deployment }, body, disconnected()),
  }),
  ...responseRoutes(deps),
  ...conversationRoutes,
  defineRoute({
    method: 'GET',
    url: '/openai/v1/models',
    summary: 'List models and agents',
    access,
    query,
    reply: [200, ModelList],
    errors: LIST_ERRORS,
    handler: ({ scope, deployment }) => listModels(deps, { scope, deployment }),
  }),
  defineRoute({
    method: 'GET',
    url: '/openai/v1/models/:model',
    summary: 'Get a model or agent',
    access,
    params: ModelParams,
    query,
    reply: [200, Model],
    errors: MODEL_ERRORS,
    handler: ({ scope, deployment, params }) => getModel(deps, { scope, deployment }, params.model),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/embeddings',
    summary: 'Create embeddings',
    description:
      "Compatible with OpenAI's Embeddings API. `model` is the name or ID of a model with the capability embedding. " +
      'Accepts texts, or tokens of the encoding cl100k_base. `dimensions` is passed on to models that can choose them.',
    access,
    query,
    body: EmbeddingRequest,
    example: { model: 'text-embedding-3-small', input: HOURS },
    bodyLimits: { bytes: BODY_BYTES_MAX, values: EMBEDDING_VALUES_MAX },
    effects: 'outside',
    reply: [200, EmbeddingList],
    errors: [
      ...ERRORS,
      'llm.not_found',
      'kb.not_embedding',
      'openai.no_agent_embeddings',
      'server.unavailable',
    ],
    handler: ({ scope, deployment, body, disconnected }) =>
      embedTexts(deps, { scope, deployment }, body, disconnected()),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/images/generations',
    summary: 'Create an image for OpenAI clients',
    description:
      "Compatible with OpenAI's Images API, for models of every provider. Returns one image in base64. Fields that " +
      'choose its size or quality are refused. Nothing is stored.',
    access,
    query,
    body: ImageRequest,
    example: { model: 'gpt-image-1', prompt: 'A fern in a coffee cup' },
    effects: 'outside once',
    reply: [200, ImageList],
    errors: [...ERRORS, 'llm.not_found', 'openai.only_agent', 'openai.cannot_draw', 'server.unavailable'],
    handler: ({ scope, deployment, body }) => generateImage(deps, { scope, deployment }, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/audio/transcriptions',
    summary: 'Transcribe a recording for OpenAI clients',
    description:
      "Compatible with OpenAI's Transcriptions API. Accepts MP3, WAV, M4A, OGG, FLAC or WebM. Charged per second.",
    access,
    query,
    upload: {
      description: 'The recording.',
      example: 'Question.mp3',
      fields: TranscriptionFields,
      fieldsExample: { model: 'whisper-1' },
    },
    effects: 'outside',
    reply: { view: Transcription, orFile: 'text/plain', description: 'The transcript, or its text.' },
    errors: [
      ...ERRORS,
      'llm.not_found',
      'openai.only_agent',
      'openai.cannot_transcribe',
      'upload.empty',
      'upload.not_audio',
      'server.unavailable',
    ],
    handler: ({ scope, deployment, fields, file }) => transcribe(deps, { scope, deployment }, fields, file),
  }),
  defineRoute({
    method: 'POST',
    url: '/openai/v1/audio/speech',
    summary: 'Speak a text for OpenAI clients',
    description:
      "Compatible with OpenAI's Speech API, for models of OpenAI and of compatible servers. The audio is sent when it is " +
      'complete. Charged by the tokens of the text. Nothing is stored.',
    access,
    query,
    body: SpeechRequest,
    example: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: HOURS },
    effects: 'outside once',
    reply: { file: SPEECH_FILES },
    errors: [...ERRORS, 'llm.not_found', 'openai.only_agent', 'openai.cannot_speak', 'server.unavailable'],
    handler: ({ scope, deployment, body }) => speak(deps, { scope, deployment }, body),
  }),
  ...openAiFileRoutes(deps.services),
]

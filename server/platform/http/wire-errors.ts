import { type AppError, type ErrorCode, statusOf } from '#errors'
import { CONTEXT_LENGTH, type ProviderCode } from '#platform/models/provider-codes.ts'
import { ModelError } from '#platform/models/types.ts'

/** How an API of another company, which Parley also implements, reports errors. */
export interface WireErrors {
  /** Prefix of the names of examples in the API reference. */
  name: string
  statusOf(code: ErrorCode): number
  bodyOf(error: AppError, requestId: string): object
  /** JSON Schema of the body. */
  schema: object
}

const ADDRESS = /^(?:https?:\/\/[^/?#]*)?\/(?<wire>openai|anthropic)\//

/** Returns how the API at a raw request URL reports errors. Undefined for Parley's own API. */
export const wireErrorsOf = (url: string): WireErrors | undefined =>
  WIRES[ADDRESS.exec(url)?.groups?.['wire'] as keyof typeof WIRES]

/** The clients of these APIs retry 503. */
const retryableStatusOf = (code: ErrorCode): number => (code === 'server.no_database' ? 503 : statusOf(code))

const MESSAGE = { type: 'string', description: 'The failure and its remedy, in English.' }

/** Returns the provider's code for a request that it refuses, because clients react to it. */
export const providerCodeOf = ({ cause }: AppError): ProviderCode | undefined =>
  cause instanceof ModelError ? cause.providerCode : undefined

/** Returns the code of an error in OpenAI's formats: the same in each response, event of a stream and stored response. */
export const openAiCodeOf = (error: AppError): string =>
  providerCodeOf(error)?.code ?? OPENAI_CODES[error.code] ?? OPENAI_CODES[error.status] ?? error.code

/** Returns the field of a record that was not found. */
const fieldOf = (error: AppError): string | undefined =>
  error.lookedUp === undefined ? undefined : String(error.values?.['field'])

/** Converts an error to OpenAI's format. https://platform.openai.com/docs/guides/error-codes/api-errors */
export const openAiError = (error: AppError) => ({
  error: {
    message: error.message,
    type: OPENAI_TYPES[error.status] ?? (error.status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: error.issues?.[0]?.path ?? providerCodeOf(error)?.param ?? fieldOf(error) ?? null,
    code: openAiCodeOf(error),
  },
})

const OPENAI_TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}
const OPENAI_CODES: Record<string, string> = {
  401: 'invalid_api_key',
  402: 'insufficient_quota',
  'openai.model_not_found': 'model_not_found',
  'llm.not_found': 'model_not_found',
  'agent.not_found': 'model_not_found',
  'openai.response_not_found': 'response_not_found',
  'openai.previous_not_found': 'previous_response_not_found',
  429: 'rate_limit_exceeded',
}

/** Converts an error to Anthropic's format. https://platform.claude.com/docs/en/api/errors */
export const anthropicError = (error: AppError, requestId: string) => ({
  type: 'error',
  error: {
    type: anthropicTypeOf(retryableStatusOf(error.code)),
    message: anthropicMessageOf(error),
    ...providerCodeOf(error),
    ...(error.more && { details: error.more }),
  },
  request_id: requestId,
})

/** Anthropic has no code for a prompt that is too long. Its clients recognize the beginning of the sentence. */
const anthropicMessageOf = (error: AppError): string =>
  providerCodeOf(error)?.code === CONTEXT_LENGTH && !/prompt is too long/i.test(error.message)
    ? `prompt is too long: ${error.message}`
    : error.message

const anthropicTypeOf = (status: number): string =>
  ANTHROPIC_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')

const ANTHROPIC_TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

const WIRES = {
  openai: {
    name: 'openai',
    statusOf: retryableStatusOf,
    bodyOf: openAiError,
    schema: {
      title: 'OpenAiError',
      type: 'object',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          description: 'The error.',
          required: ['message', 'type', 'param', 'code'],
          properties: {
            message: MESSAGE,
            type: { type: 'string', description: 'Class of the error, such as `invalid_request_error`.' },
            param: { type: ['string', 'null'], description: 'Field that caused the error, or null.' },
            code: { type: 'string', description: 'Stable code for programs.' },
          },
        },
      },
    },
  },
  anthropic: {
    name: 'anthropic',
    statusOf: retryableStatusOf,
    bodyOf: anthropicError,
    schema: {
      title: 'AnthropicError',
      type: 'object',
      required: ['type', 'error', 'request_id'],
      properties: {
        type: { type: 'string', const: 'error', description: 'Always `error`.' },
        error: {
          type: 'object',
          description: 'The error.',
          required: ['type', 'message'],
          properties: {
            type: { type: 'string', description: 'Class of the error, such as `invalid_request_error`.' },
            message: MESSAGE,
            code: { type: 'string', description: "The provider's code, if it refused the request by one." },
            param: { type: 'string', description: 'Field that the provider refused, if it named one.' },
            details: { type: 'object', description: 'Details for programs, if there are any.' },
          },
        },
        request_id: { type: 'string', description: 'ID of the request. Quote it in support requests.' },
      },
    },
  },
} satisfies Record<string, WireErrors>

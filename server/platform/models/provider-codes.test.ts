import { describe, expect, test } from 'vitest'
import { CONTEXT_LENGTH, providerCodeIn, providerCodeOf } from './provider-codes.ts'

const nested = (error: unknown): string => JSON.stringify({ error })

describe('a prompt that is too long', () => {
  test.each<[server: string, body: unknown]>([
    [
      'OpenAI',
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      },
    ],
    ['OpenAI Responses', { error: { message: 'Your input exceeds the context window of this model.' } }],
    [
      'Anthropic',
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210 tokens > 200 maximum' },
      },
    ],
    [
      'Anthropic with a limit',
      {
        error: {
          message: 'input length and `max_tokens` exceed context limit: 198 + 21 > 200, context window',
        },
      },
    ],
    [
      'Gemini',
      [
        {
          error: {
            code: 400,
            message: 'The input token count (120) exceeds the maximum number of tokens allowed (100).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
    [
      'vLLM',
      {
        object: 'error',
        message: "This model's maximum context length is 10 tokens. However, you requested 20 tokens",
        code: 400,
      },
    ],
    ['SGLang', { message: "The input (20 tokens) is longer than the model's context length (10 tokens)." }],
    [
      'llama.cpp',
      {
        error: {
          code: 400,
          message: 'the request exceeds the available size',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      'Mistral',
      {
        message: 'Prompt contains 30 tokens, too large for model with 20 maximum context length',
        code: '3051',
      },
    ],
    [
      'Groq',
      {
        error: {
          message: 'Please reduce the length of the messages or completion.',
          code: 'context_length_exceeded',
        },
      },
    ],
    ['OpenRouter', { error: { message: "This endpoint's maximum context length is 10 tokens.", code: 400 } }],
    ['Bedrock', { message: 'Input is too long for requested model.' }],
    [
      'DashScope',
      { error: { message: 'Range of input length should be [1, 30720]', code: 'invalid_parameter' } },
    ],
    ['FastAPI', { detail: [{ msg: 'x', message: 'The prompt is too long' }] }],
  ])('%s', (_, body) => {
    expect(providerCodeIn(JSON.stringify(body))?.code).toBe(CONTEXT_LENGTH)
  })

  test.each([
    'max_tokens must be at most 8192, the context window of this model',
    '`max_completion_tokens` is too large: 9000. The maximum context length is 8192.',
    'The model does not support images.',
    'temperature is too high',
  ])('is not %s', (message) => {
    expect(providerCodeIn(nested({ message }))).toBeUndefined()
  })
})

test('a code and a field are passed on', () => {
  const error = {
    message: 'No',
    type: 'invalid_request_error',
    code: 'invalid_image',
    param: 'messages[0].content',
  }
  expect(providerCodeIn(nested(error))).toEqual({ code: 'invalid_image', param: 'messages[0].content' })
  expect(providerCodeOf(error)).toEqual({ code: 'invalid_image', param: 'messages[0].content' })
})

test.each([
  '',
  'no JSON',
  '<html>',
  '400',
  'null',
  '{"code":400}',
  '{"error":{"code":"400"}}',
  '{"code":"a\\nb"}',
])('%j has no code', (body) => {
  expect(providerCodeIn(body)).toBeUndefined()
})

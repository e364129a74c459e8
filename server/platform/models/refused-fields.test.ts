import { describe, expect, test } from 'vitest'
import { withoutRefused } from './refused-fields.ts'
import type { ModelRequest } from './types.ts'

const REQUEST: ModelRequest = { messages: [] }
const BODY = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  parallel_tool_calls: false,
  reasoning_effort: 'medium',
  user: 'u-1',
}
const without = (...fields: string[]) =>
  Object.fromEntries(Object.entries(BODY).filter(([field]) => !fields.includes(field)))

describe('a refused request is sent again without the field that the refusal names', () => {
  test.each<[number, string, string]>([
    [400, '{"error": {"message": "Unsupported parameter: \'stream_options\'"}}', 'stream_options'],
    [400, '{"error": {"message": "bad request", "param": "stream_options.include_usage"}}', 'stream_options'],
    [422, '{"detail": [{"loc": ["body", "stream_options"], "msg": "extra fields"}]}', 'stream_options'],
    [
      400,
      'Unrecognized field "streamOptions" (class ChatRequest), not marked as ignorable',
      'stream_options',
    ],
    [400, '{"message": "Stream options are not supported by this model"}', 'stream_options'],
    [400, "include_usage isn't allowed", 'stream_options'],
    [404, '{"error": {"message": "No endpoint supports parallel_tool_calls"}}', 'parallel_tool_calls'],
    [405, 'parallelToolCalls is not allowed', 'parallel_tool_calls'],
    [500, '{"error": {"message": "json: unknown field \\"stream_options\\""}}', 'stream_options'],
    [501, 'reasoning_effort: not implemented', 'reasoning_effort'],
    [400, 'Unknown parameter: user', 'user'],
  ])('%i %s', (status, words, field) => {
    expect(withoutRefused(BODY, { status, words, retryAfter: undefined }, REQUEST)).toEqual(without(field))
  })

  test('or without all that it names', () => {
    const words = 'Remove stream_options and parallel_tool_calls'
    const refusal = { status: 400, words, retryAfter: undefined }
    expect(withoutRefused(BODY, refusal, REQUEST)).toEqual(without('stream_options', 'parallel_tool_calls'))
  })
})

test.each<[number, string]>([
  [400, 'Bad request'],
  [400, 'The role user must come first'],
  [400, 'Unsupported parameter: temperature'],
  [401, 'The key does not allow stream_options'],
  [402, 'Pay for stream_options'],
  [403, 'stream_options is not part of your plan'],
  [429, 'Too many requests with stream_options'],
  [502, 'stream_options'],
  [503, 'stream_options'],
])('a refusal is final: %i %s', (status, words) => {
  expect(withoutRefused(BODY, { status, words, retryAfter: undefined }, REQUEST)).toBeUndefined()
})

test('a limit gets the name that the refusal asks for', () => {
  const words =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  const again = withoutRefused(
    { ...BODY, max_tokens: 500 },
    { status: 400, words, retryAfter: undefined },
    REQUEST,
  )
  expect(again).toEqual({ ...BODY, max_completion_tokens: 500 })
  expect(withoutRefused(again ?? {}, { status: 400, words, retryAfter: undefined }, REQUEST)).toBeUndefined()
})

test('an effort that the caller has set stays', () => {
  const refusal = { status: 400, words: 'reasoning_effort', retryAfter: undefined }
  expect(withoutRefused(BODY, refusal, { ...REQUEST, effort: 'low' })).toBeUndefined()
})

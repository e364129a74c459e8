import { describe, expect, test } from 'vitest'
import { describeConnectionFailure, describeErrorEvent, describeRefusal } from './failures.ts'
import type { ModelTarget } from './types.ts'

const API_KEY = 'sk-proj-Abcdefgh12345678Zyxwvuts'
const target: ModelTarget = {
  provider: 'openai-compatible',
  model: 'some-model',
  baseUrl: 'https://example.com/v1',
  apiKey: API_KEY,
  guarded: true,
}

const messageAt = (status: number, words: string): string =>
  describeRefusal(target, { status, words }).message

describe("a provider's message", () => {
  test.each([
    ['{"error":{"message":"The model is too small"}}', 'The model is too small'],
    ['{"error":"too small"}', 'too small'],
    ['{"message":"too small"}', 'too small'],
    ['{"detail":[{"message":"too small"}]}', 'too small'],
    ['[{"error":{"code":400,"message":"too small"}}]', 'too small'],
  ])('is passed on: %s', (body, words) => {
    expect(messageAt(400, body)).toContain(`: ${words}`)
  })

  test.each([500, 501, 502, 503, 504, 507, 520, 529, 599])('is passed on with status %i', (status) => {
    for (const body of [
      '{"error":{"message":"CUDA out of memory","type":"server_error","code":null}}',
      '{"error":{"code":500,"message":"CUDA out of memory"}}',
      '{"object":"error","message":"CUDA out of memory"}',
      '{"error":"CUDA out of memory"}',
      '{"detail":"CUDA out of memory"}',
      '{"detail":{"error":{"message":"CUDA out of memory"}}}',
      '{"error_code":336,"error_msg":"CUDA out of memory"}',
      '[{"error":{"message":"CUDA out of memory"}}]',
      'event: error\ndata: {"message":"CUDA out of memory"}',
      'CUDA out of memory',
    ])
      expect(messageAt(status, body)).toBe(
        `some-model had an internal error (status ${status}): CUDA out of memory`,
      )
  })

  test.each<[number, string]>([
    [500, 'Internal Server Error'],
    [500, '{"error":"Internal Server Error"}'],
    [502, 'Bad Gateway'],
    [502, '<html><body><h1>502 Bad Gateway</h1></body></html>'],
    [503, '{"error":{"message":""}}'],
    [503, '{"error":'],
    [500, ''],
  ])('is left out with status %i if it says nothing: %j', (status, body) => {
    expect(messageAt(status, body)).toBe(
      `some-model had an internal error (status ${status}). Try again later.`,
    )
  })

  test.each(['', 'Gateway Timeout', '<html>'])(
    'is left out with status 504 if it says nothing: %j',
    (body) => {
      expect(messageAt(504, body)).toBe('some-model took too long to respond. Try again.')
    },
  )

  test.each(['', '<html>', '{}', 'null', '[]', '{"error":{"message":7}}'])(
    'is left out if it is unreadable: %j',
    (body) => {
      expect(messageAt(400, body)).toBe(
        'some-model refused the request (status 400). Check the settings of this model.',
      )
    },
  )

  test.each([
    API_KEY,
    `Bearer ${API_KEY}.`,
    'sk-proj-********************wuts',
    'Abcdefgh12345678',
    'Abcdefgh...Zyxwvuts',
    '12345678Zyxwvuts',
    'sk-another-key-1234',
  ])('never contains any part of a key: %s', (shown) => {
    const body = JSON.stringify({ error: { message: `Incorrect key ${shown} given` } })
    for (const status of [400, 500]) {
      const sentence = messageAt(status, body)
      expect(sentence).toContain('Incorrect key')
      for (let place = 0; place + 6 <= API_KEY.length; place++)
        expect(sentence).not.toContain(API_KEY.slice(place, place + 6))
      expect(sentence).not.toContain('another')
    }
  })

  test('is not passed on with a refused key', () => {
    expect(messageAt(401, '{"error":{"message":"words"}}')).not.toContain('words')
  })

  test('is truncated, well-formed and without NUL', () => {
    const { message } = describeErrorEvent(target, { message: `${'\u{1f600}'.repeat(500)}\0\ud83d` })
    expect(message.length).toBeLessThan(400)
    expect(message.isWellFormed()).toBe(true)
    expect(describeErrorEvent(target, 'a\0b').message).toContain(': ab')
  })
})

test.each([
  ['ENOTFOUND', 'cannot be resolved'],
  ['ECONNREFUSED', 'cannot be reached.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'did not accept the connection in time'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not valid'],
  ['CERT_HAS_EXPIRED', 'its certificate is not valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is not valid'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not valid'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not use https'],
])('connection error %s is explained', (code, sentence) => {
  const error = Object.assign(new Error('internal words'), { code })
  const failure = describeConnectionFailure(target, error, false)
  expect(failure.message).toContain(sentence)
  expect(failure.message).not.toContain('internal')
  expect(failure.cause).toBe(error)
})

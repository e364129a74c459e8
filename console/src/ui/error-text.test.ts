import { ParleyError } from '@parley/client'
import { beforeAll, expect, test } from 'vitest'
import { loadText } from '../messages/index.ts'
import { errorText } from './error-text.ts'

beforeAll(async () => {
  await loadText('rest')
})

const errorOf = (
  code: string,
  values: Record<string, string | number>,
  path?: string,
  message = 'must not be empty',
) =>
  new ParleyError('In the words of the server.', {
    status: 400,
    code,
    retryAfterMs: 7_200_000,
    body: { values, errors: path ? [{ path, message }] : [] },
  })

test.each([
  [
    'the label of a field',
    errorOf('request.invalid', { reason: 'name …' }, 'name'),
    '“Name” must not be empty',
  ],
  [
    'a field without a label in words',
    errorOf('request.invalid', { reason: 'max_uses …' }, 'max_uses'),
    '“Max uses” must not be empty',
  ],
  [
    'a wrong link instead of an id',
    errorOf('request.invalid', { reason: 'agent_id …' }, 'agent_id', 'must be a UUID'),
    'This link doesn’t lead to anything here.',
  ],
  ['the path of a list item', errorOf('request.invalid', { reason: 'q.3.name …' }, 'q.3.name'), 'q.3.name …'],
  [
    'a limit in bytes as a size',
    errorOf('request.file_too_large', { limit: 10_485_760 }),
    'larger than 10.0 MB',
  ],
  [
    'the time to wait',
    errorOf('import.daily_bytes', { limit: 1, wait: '7200 s' }),
    'Try again in 120 minutes.',
  ],
  ["the server's words if there is no message", errorOf('a.b', {}), 'In the words of the server.'],
  ["the server's words if values are missing", errorOf('request.invalid', {}), 'In the words of the server.'],
])('an error names %s', (_, error, text) => {
  expect(errorText(error)).toContain(text)
})

test.each([
  ['Agent not found: agent_id 0195f3c4', { field: 'agent_id', value: '0195f3c4' }, 'Agent not found'],
  ['Chat session not found', { field: 'chat_id', value: '0195f3c4' }, 'Chat session not found'],
  ['In use: 0195f3c4', {}, 'In use: 0195f3c4'],
])('shows %j without the field that it names for programs', (detail, values, shown) => {
  const error = new ParleyError(detail, { status: 404, code: 'an.unknown_code', body: { values } })
  expect(errorText(error)).toBe(shown)
})

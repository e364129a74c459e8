import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { Body, Enum, Nullable } from './schemas.ts'
import { compileValidator, validationError } from './validation.ts'

const detailOf = (
  schema: Parameters<typeof compileValidator>[0],
  value: unknown,
  part: 'body' | 'querystring',
) => {
  const validate = compileValidator(schema, part)
  return validate(value) ? null : validationError((validate.errors ?? []) as never, part).message
}

describe('an integer of a query', () => {
  const query = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: -5, maximum: 100 })) })
  test.each([
    '0x10',
    '1e1',
    ' 5',
    '5 ',
    '+5',
    '',
    ' ',
    '1.0',
    '1_0',
    '٣',
    '0b1',
    '0o7',
    'Infinity',
    'NaN',
    '--5',
    '5-',
  ])('%j is refused', (limit) => {
    expect(detailOf(query, { limit }, 'querystring')).toBe('limit must be an integer.')
  })
  test.each([
    ['5', 5],
    ['0', 0],
    ['05', 5],
    ['100', 100],
    ['-5', -5],
  ])('%j is read', (limit, number) => {
    const value = { limit }
    expect(detailOf(query, value, 'querystring')).toBeNull()
    expect(value).toEqual({ limit: number })
  })
})

describe('a number of a query', () => {
  const query = Type.Object({ temperature: Type.Number() })
  test.each(['0x1', ' 1', '+1', '', 'Infinity', '.5', '1.'])('%j is refused', (temperature) => {
    expect(detailOf(query, { temperature }, 'querystring')).toBe('temperature must be a number.')
  })
  test.each(['0.5', '1', '-1', '1e-2'])('%j is read', (temperature) => {
    expect(detailOf(query, { temperature }, 'querystring')).toBeNull()
  })
})

describe('the broken rules of a body', () => {
  const body = Body({
    name: Type.String({ minLength: 1 }),
    size: Type.Integer({ minimum: 1 }),
    note: Type.Optional(Nullable(Type.String({ maxLength: 3 }))),
    kind: Type.Optional(Enum(['a', 'b'])),
    parts: Type.Optional(Type.Array(Body({ id: Type.String({ format: 'uuid' }) }))),
    text: Type.Optional(
      Type.Union([Type.String({ maxLength: 3 }), Type.Array(Type.String({ maxLength: 2 }), { maxItems: 2 })]),
    ),
  })
  const fine = { name: 'n', size: 1 }
  test.each<[string, object]>([
    ['name is required; size is required.', {}],
    ['name must not be empty; size must be at least 1.', { name: '', size: 0 }],
    ['size is required; typo is not a field of this request; name must be a string.', { name: 5, typo: 1 }],
    ['one is not a field of this request; two is not a field of this request.', { ...fine, one: 1, two: 2 }],
    ['note must have at most 3 characters.', { ...fine, note: 'long' }],
    ['note must be a string.', { ...fine, note: 5 }],
    ['kind must be one of: a, b.', { ...fine, kind: 'c' }],
    ['parts.0.id must be a UUID; parts.1.id is required.', { ...fine, parts: [{ id: 'x' }, {}] }],
    [
      'parts.0.id is required; parts.0.more is not a field of this request.',
      { ...fine, parts: [{ more: 1 }] },
    ],
    ['text must have at most 3 characters.', { ...fine, text: 'long' }],
    ['text must have at most 2 items.', { ...fine, text: ['a', 'b', 'c'] }],
    ['text.1 must have at most 2 characters.', { ...fine, text: ['a', 'long'] }],
    ['text must be a string or an array.', { ...fine, text: 5 }],
  ])('%s', (detail, value) => {
    expect(
      detailOf(body, value, 'body')
        ?.split(/[;.] ?/)
        .toSorted(),
    ).toEqual(detail.split(/[;.] ?/).toSorted())
  })

  test('are at most 20, and only the first is listed for a large body', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`typo${at}`, 1]))
    expect(detailOf(body, { ...fine, ...many }, 'body')?.split('; ')).toHaveLength(20)
    const large = { ...many, name: 'x'.repeat(100_000), size: 0 }
    expect(detailOf(body, large, 'body')).not.toContain(';')
  })
})

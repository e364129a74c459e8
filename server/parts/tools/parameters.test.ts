import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import type { ParameterDescriptor } from '#database/schema/tools.ts'
import { AppError } from '#errors'
import { descriptor, exampleOf } from '#tests/support/random-descriptors.ts'
import { checkConfiguration, checkInputs } from './check-tool.ts'
import { readArguments, schemaOf } from './function-schema.ts'
import { soundsSecret } from './parameter-names.ts'
import { defaultOf, isOfType, parseValue } from './parameter-values.ts'
import { configNow, NO_CONFIG, readConfig } from './tool-config.ts'

const sentenceOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}
const given = (over: Partial<ParameterDescriptor>): ParameterDescriptor => ({
  name: 'x',
  type: 'str',
  description: '',
  required: false,
  default: null,
  ...over,
})

describe('a default value', () => {
  test.each([
    ['int', '5', 5],
    ['int', ' -5 ', -5],
    ['int', '5.0', undefined],
    ['int', '99999999999999999999', parseExactJson('99999999999999999999')],
    ['int', '', undefined],
    ['float', '5', 5],
    ['float', '.5e-3', 0.0005],
    ['float', '1e999', undefined],
    ['float', 'NaN', undefined],
    ['float', '0x10', undefined],
    ['bool', 'True', true],
    ['bool', 'false', false],
    ['bool', '1', undefined],
    ['str', ' a ', ' a '],
    ['str', '', ''],
    ['list', '[1, "a"]', [1, 'a']],
    ['list', '{}', undefined],
    ['dict', '{"a": [1]}', { a: [1] }],
    ['dict', 'null', undefined],
    ['dict', "{'a': 1}", undefined],
  ] as const)('of type %s: %j is parsed as %j', (type, text, value) => {
    expect(parseValue(type, text)).toEqual(value)
  })

  test('of the wrong type is refused with its path', () => {
    expect(
      sentenceOf(() => checkInputs([given({}), given({ name: 'n', type: 'int', default: 'five' })])),
    ).toBe('inputs.1.default must be an integer, written as a string, because the type is int.')
  })
})

test('a duplicate name is refused', () => {
  expect(sentenceOf(() => checkInputs([given({}), given({})]))).toBe(
    'inputs.1.name must be unique, but x occurs twice.',
  )
})

describe('a secret parameter', () => {
  test.each([
    ['api_key', true],
    ['apiKey', true],
    ['APIKEY', true],
    ['access_token', true],
    ['client_secret', true],
    ['db_password', true],
    ['credentials', true],
    ['max_tokens', false],
    ['keyword', false],
    ['tokenizer', false],
    ['passage', false],
  ])('named %s is recognized: %s', (name, secret) => {
    expect(soundsSecret(name)).toBe(secret)
    expect(checkConfiguration([given({ name })])).toMatchObject([{ secret }])
  })

  test('has no default, unless it is declared not secret', () => {
    expect(sentenceOf(() => checkConfiguration([given({ name: 'api_key', default: '' })]))).toContain(
      'configuration.0.default must be null',
    )
    expect(checkConfiguration([{ ...given({ name: 'key', default: 'a' }), secret: false }])).toMatchObject([
      { secret: false, default: 'a' },
    ])
  })
})

describe('arguments', () => {
  const schema = schemaOf(
    [
      given({ name: 'query', required: true }),
      given({ name: 'count', type: 'int', default: '10' }),
      given({ name: 'deep', type: 'dict' }),
    ],
    [],
  )

  test.each([
    [{ query: 'a' }, { query: 'a', count: 10 }],
    [
      { query: 'a', count: 1.0 },
      { query: 'a', count: 1 },
    ],
    [
      { query: 'a', count: null, deep: null },
      { query: 'a', count: 10 },
    ],
    [
      { query: 'a', deep: { b: 1 } },
      { query: 'a', count: 10, deep: { b: 1 } },
    ],
  ])('%j become %j', (input, values) => {
    expect(readArguments(schema, input)).toEqual({ values })
  })

  test.each<[Record<string, unknown>, string]>([
    [{}, 'query is required.'],
    [{ query: null }, 'query is required.'],
    [{ query: 'a', count: '5' }, 'count must be an integer, not "5".'],
    [{ query: 'a', count: 1.5 }, 'count must be an integer, not 1.5.'],
    [{ query: 'a', count: 2 ** 53 }, 'count must be an integer, not 9007199254740992.'],
    [{ query: 5 }, 'query must be a string, not 5.'],
    [{ query: 'a', deep: [] }, 'deep must be an object, not [].'],
    [{ query: 'a', limit: 5 }, 'There is no parameter "limit". The parameters are: query, count, deep.'],
    [
      { query: 'a', constructor: 5 },
      'There is no parameter "constructor". The parameters are: query, count, deep.',
    ],
    [JSON.parse('{"query": "a", "__proto__": {}}'), 'There is no parameter "__proto__".'],
  ])('%j are refused: %s', (input, sentence) => {
    expect(readArguments(schema, input)).toEqual({ error: expect.stringContaining(sentence) })
  })

  test('of a function without parameters must be empty', () => {
    expect(readArguments(schemaOf([], []), {})).toEqual({ values: {} })
    expect(readArguments(schemaOf([], []), { a: 1 })).toEqual({
      error: 'There is no parameter "a". This tool has no parameters.',
    })
  })

  test('are complete with only the required values, and have the declared types', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(descriptor, { selector: ({ name }) => name, maxLength: 8 }),
        (parameters) => {
          const inputs = checkInputs(parameters)
          const least = inputs.filter((input) => input.required && input.default === null)
          const input = Object.fromEntries(least.map(({ name, type }) => [name, exampleOf(type)]))
          // Stored schemas have been serialized to JSON.
          const read = readArguments(JSON.parse(JSON.stringify(schemaOf(inputs, []))), input)
          if ('error' in read) throw new Error(read.error)
          for (const { name, type, default: text } of inputs) {
            const isThere = text !== null || Object.hasOwn(input, name)
            expect(Object.hasOwn(read.values, name)).toBe(isThere)
            if (isThere) expect(isOfType(type, read.values[name])).toBe(true)
          }
        },
      ),
    )
  })
})

describe('a configuration', () => {
  const descriptors = checkConfiguration([
    given({ name: 'api_key', required: true }),
    given({ name: 'limit', type: 'int', default: '10' }),
    given({ name: 'region' }),
  ])

  test('accepts typed values or strings, and adds defaults when used', () => {
    const set = [
      { name: 'api_key', value: 'abcd' },
      { name: 'limit', value: '5' },
    ]
    const config = readConfig(descriptors, set, NO_CONFIG)
    expect(config).toEqual({ values: { api_key: 'abcd', limit: 5 }, secrets: ['api_key'] })
    expect(configNow(descriptors, { values: { api_key: 'abcd' }, secrets: [] })).toEqual({
      values: { api_key: 'abcd', limit: 10 },
      secrets: ['abcd'],
    })
  })

  test.each<[{ name: string; value: unknown }[], string]>([
    [[], 'api_key is required.'],
    [[{ name: 'api_key', value: 5 }], 'api_key must be a string.'],
    [
      [
        { name: 'api_key', value: 'a' },
        { name: 'limit', value: 'many' },
      ],
      'limit must be an integer.',
    ],
    [[{ name: 'toString', value: 'a' }], 'the tool has no configuration value named toString. Remove it.'],
    [
      [
        { name: 'region', value: 'a' },
        { name: 'region', value: 'b' },
      ],
      'region occurs twice. Remove one of the values.',
    ],
  ])('refuses %j: %s', (set, error) => {
    expect(readConfig(descriptors, set, NO_CONFIG)).toEqual({ error })
  })

  test('keeps a stored secret if null is sent, even if the tool no longer declares it secret', () => {
    const kept = { values: { api_key: 'abcd', region: 'eu' }, secrets: ['api_key'] }
    const again = readConfig(descriptors, [{ name: 'api_key', value: null }], kept)
    expect(again).toEqual({ values: { api_key: 'abcd' }, secrets: ['api_key'] })
    const open = descriptors.map((one) => ({ ...one, secret: false }))
    expect(readConfig(open, [], kept)).toEqual({ values: { api_key: 'abcd' }, secrets: ['api_key'] })
    expect(configNow(open, kept)).toMatchObject({ secrets: ['abcd'] })
  })

  test('without a required value returns an error that names the value', () => {
    expect(configNow(descriptors, NO_CONFIG)).toEqual({
      error: 'This tool has no value for api_key. The creator of the agent can set it.',
    })
    const kept = { values: { api_key: 'abcd', limit: 'five', gone: 1 }, secrets: ['gone'] }
    expect(configNow(descriptors, kept)).toEqual({
      values: { api_key: 'abcd', limit: 10 },
      secrets: ['abcd', 1],
    })
  })

  test('can be empty if no value is required', () => {
    fc.assert(
      fc.property(fc.uniqueArray(descriptor, { selector: ({ name }) => name }), (parameters) => {
        const all = checkConfiguration(parameters.map((one) => ({ ...one, required: false, secret: false })))
        const config = readConfig(all, [], NO_CONFIG)
        if ('error' in config) throw new Error(config.error)
        const now = configNow(all, config)
        if ('error' in now) throw new Error(now.error)
        expect(Object.keys(now.values)).toEqual(
          all.filter((one) => defaultOf(one) !== undefined).map(({ name }) => name),
        )
      }),
    )
  })
})

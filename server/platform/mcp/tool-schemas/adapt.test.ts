import { expect, test } from 'vitest'
import {
  adapted,
  type Json,
  object,
  one,
  propertiesOf,
  sets,
  text,
  whole,
  withA,
  withB,
} from '#tests/support/mcp/tool-schemas.ts'

/** Schemas that stay as they are. */
const KEPT: [string, Json][] = [
  [
    'of text, numbers and flags',
    object({ a: text, b: whole, c: { type: 'number' }, d: { type: 'boolean' } }),
  ],
  ['with descriptions', object({ a: { ...text, description: 'What to find' } }, { description: 'A search' })],
  ['with required properties', object({ a: text, b: text }, { required: ['b'] })],
  ['with a list of values', one({ type: 'string', enum: ['red', 'green'] })],
  ['with bounds', one({ type: 'integer', minimum: 1, maximum: 100, default: 10 })],
  ['with lengths', one({ type: 'string', minLength: 1, maxLength: 20 })],
  ['with a plain pattern', one({ type: 'string', pattern: '^[a-z]{2,3}-\\d+$' })],
  ['with a time', one({ type: 'string', format: 'date-time' })],
  ['with lists', one({ type: 'array', items: { type: 'array', items: text }, minItems: 1, maxItems: 5 })],
  ['with nested objects', one(object({ inner: object({ deep: text }, { required: ['deep'] }) }))],
  ['with alternatives in a property', one({ anyOf: [text, whole] })],
  ['without properties', object({})],
]

test.each(KEPT)('a schema %s stays as it is', (_name, schema) => {
  expect(adapted(schema).schema).toEqual(schema)
})

/** A variable, because an object with a property of this name looks like a promise to the linter. */
const THEN = 'then'
const conditional = (keyword: string, schema: Json): Json => ({ if: { required: ['a'] }, [keyword]: schema })

const some = { a: text, b: text }

/** Schemas that become others: what they are, the schema, the result. */
const ROOTS: [string, unknown, Json][] = [
  ['true', true, object({})],
  ['{}', {}, object({})],
  ['no type', { properties: some }, object(some)],
  ['a type in capitals', { type: 'OBJECT', properties: some }, object(some)],
  ['a list of types', { type: ['object', 'null'], properties: some }, object(some)],
  ['properties that are null', { type: 'object', properties: null }, object({})],
  ['properties that are a list', { type: 'object', properties: [] }, object({})],
  ['no properties', { type: 'object' }, object({})],
  [
    'anyOf',
    { type: 'object', anyOf: [withA, withB] },
    object({ a: text, b: whole }, { description: sets('a', 'b') }),
  ],
  [
    'oneOf',
    { oneOf: [{ type: 'object', ...withA }, withB] },
    object({ a: text, b: whole }, { description: sets('a', 'b') }),
  ],
  ['one alternative', { type: 'object', anyOf: [withA] }, object({ a: text }, { required: ['a'] })],
  ['allOf', { allOf: [withA, withB] }, object({ a: text, b: whole }, { required: ['a', 'b'] })],
  [
    'anyOf beside properties',
    object(some, { required: ['b'], anyOf: [{ required: ['a'] }, {}] }),
    object(some, { required: ['b'], description: sets('a', 'none of these') }),
  ],
  [
    'anyOf and oneOf',
    { anyOf: [withA, { ...withA, ...object({ c: text }) }], oneOf: [withB] },
    object({ a: text, c: text, b: whole }, { required: ['a', 'b'] }),
  ],
  [
    'combinators within combinators',
    { allOf: [{ oneOf: [{ allOf: [withA, withB] }] }] },
    object({ a: text, b: whole }, { required: ['a', 'b'] }),
  ],
  [
    'a property that tells the alternatives apart',
    {
      oneOf: [
        object({ kind: { const: 'x' } }, { required: ['kind'] }),
        object({ kind: { const: 'y' }, n: whole }, { required: ['kind'] }),
      ],
    },
    object({ kind: { type: 'string', enum: ['x', 'y'] }, n: whole }, { required: ['kind'] }),
  ],
  [
    'alternatives that are no objects',
    { anyOf: [text, withA, { type: 'null' }] },
    object({ a: text }, { required: ['a'] }),
  ],
  ['a reference', { $ref: '#/$defs/Input', $defs: { Input: object(some) } }, object(some)],
  [
    'allOf with references',
    { allOf: [{ $ref: '#/definitions/A' }], definitions: { A: withA } },
    object({ a: text }, { required: ['a'] }),
  ],
  [
    'if and then',
    object({ a: text }, conditional(THEN, { properties: { b: whole }, required: ['b'] })),
    object(
      { a: text, b: whole },
      { description: expect.stringContaining('then: {"properties"') },
    ) as unknown as Json,
  ],
  [
    'dependentSchemas',
    object({ a: text }, { dependentSchemas: { a: withB } }),
    object({ b: whole, a: text }, { description: expect.any(String) }),
  ],
  [
    'not and enum',
    object(some, { not: { required: ['a', 'b'] }, enum: [{ a: 'x' }] }),
    object(some, { description: expect.stringContaining('not: ') }),
  ],
  [
    '$schema, $id and $comment',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/a',
      $comment: 'x',
      ...object(some),
    },
    object(some),
  ],
  [
    'required names that are missing, repeated or no text',
    object(some, { required: ['a', 'a', 'c', 7, null] }),
    object(some, { required: ['a'] }),
  ],
  ['required that is no list', object(some, { required: 'a' }), object(some)],
  [
    'required at the property',
    object({ a: { type: 'string', required: true }, b: text }),
    object(some, { required: ['a'] }),
  ],
  ['additionalProperties: false', object(some, { additionalProperties: false }), object(some)],
  [
    'unknown keywords',
    object(some, { 'x-order': 1, unevaluatedProperties: false, readOnly: true }),
    object(some),
  ],
]

test.each(ROOTS)('a root with %s is described by its properties', (_name, schema, expected) => {
  expect(adapted(schema).schema).toEqual(expected)
})

const ANYTHING = [text, { type: 'number' }, { type: 'boolean' }, object({}), { type: 'array', items: text }]
const anything = (description?: string): Json => ({
  anyOf: description ? [{ ...text, description }, ...ANYTHING.slice(1)] : ANYTHING,
})
const remarked = (schema: Json, ...remarks: string[]): Json => ({
  ...schema,
  description: `(${remarks.join('; ')})`,
})

const PROPERTIES: [string, unknown, Json][] = [
  ['true', true, anything()],
  ['null', null, anything()],
  ['no keyword', {}, anything()],
  ['only a description', { description: 'Any value' }, anything('Any value')],
  ['an unknown type', { type: 'any' }, anything()],
  ['the type of a language', { type: 'str' }, text],
  [
    'a list of types',
    { type: ['string', 'null'], description: 'A name' },
    { anyOf: [{ ...text, description: 'A name' }, { type: 'null' }] },
  ],
  ['a list of a number', { type: ['integer', 'number'] }, { type: 'number' }],
  [
    'types with their own keywords',
    { type: ['string', 'array'], minLength: 2, items: whole },
    {
      anyOf: [
        { ...text, minLength: 2 },
        { type: 'array', items: whole },
      ],
    },
  ],
  ['nullable', { type: 'string', nullable: true }, { anyOf: [text, { type: 'null' }] }],
  [
    'an optional value of Pydantic',
    { anyOf: [whole, { type: 'null' }], default: null, title: 'Limit' },
    { anyOf: [{ ...whole, description: 'Limit' }, { type: 'null' }] },
  ],
  ['a const', { const: 'x' }, { type: 'string', enum: ['x'] }],
  ['a const that is a number', { const: 7 }, remarked(whole, 'enum: [7]')],
  ['an enum without a type', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
  ['an enum of numbers', { type: 'integer', enum: [1, 2] }, remarked(whole, 'enum: [1,2]')],
  [
    'an enum of two types',
    { enum: ['a', 1] },
    { anyOf: [{ type: 'string', enum: ['a'] }, remarked(whole, 'enum: [1]')] },
  ],
  ['an enum of another type', { type: 'string', enum: [1, 2] }, remarked(whole, 'enum: [1,2]')],
  [
    'an enum with null',
    { type: ['string', 'null'], enum: ['a', null] },
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  ],
  [
    'an enum with a blank text',
    { type: 'string', enum: ['', 'a'] },
    { type: 'string', enum: ['a'], description: '(enum: ["","a"])' },
  ],
  ['an empty enum', { type: 'string', enum: [] }, text],
  ['oneOf of constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['a', 'b'] }],
  ['a list without items', { type: 'array' }, { type: 'array', items: anything() }],
  ['items: true', { type: 'array', items: true }, { type: 'array', items: anything() }],
  [
    'lists in a list',
    { type: 'array', items: { type: 'array', items: { type: 'array' } } },
    { type: 'array', items: { type: 'array', items: { type: 'array', items: anything() } } },
  ],
  [
    'a tuple of draft 7',
    { type: 'array', items: [text, whole] },
    remarked(
      { type: 'array', items: { anyOf: [text, whole] } },
      'items: [{"type":"string"},{"type":"integer"}]',
    ),
  ],
  [
    'a tuple of draft 2020-12',
    { type: 'array', prefixItems: [text, text], items: false },
    remarked({ type: 'array', items: text }, 'prefixItems: [{"type":"string"},{"type":"string"}]'),
  ],
  ['items without a type', { items: text }, { type: 'array', items: text }],
  [
    'unique items',
    { type: 'array', items: text, uniqueItems: true },
    remarked({ type: 'array', items: text }, 'uniqueItems: true'),
  ],
  ['properties without a type', { properties: { a: text } }, object({ a: text })],
  ['an object without properties', { type: 'object' }, remarked(object({}), 'additionalProperties: true')],
  [
    'a map',
    { type: 'object', additionalProperties: whole },
    remarked(object({}), 'additionalProperties: {"type":"integer"}'),
  ],
  [
    'patternProperties',
    object({}, { patternProperties: { '^x': text } }),
    remarked(object({}), 'patternProperties: {"^x":{"type":"string"}}'),
  ],
  ['a pattern with flags', { type: 'string', pattern: '(?i)^a' }, remarked(text, 'pattern: "(?i)^a"')],
  [
    'a pattern with lookahead',
    { type: 'string', pattern: '^(?=.*\\d).+$' },
    remarked(text, 'pattern: "^(?=.*\\\\d).+$"'),
  ],
  ['a pattern with lookbehind', { pattern: '(?<!a)b' }, remarked(text, 'pattern: "(?<!a)b"')],
  ['a pattern with a backreference', { pattern: '(a)\\1' }, remarked(text, 'pattern: "(a)\\\\1"')],
  ['a pattern of Python', { pattern: '\\A\\w+\\Z' }, remarked(text, 'pattern: "\\\\A\\\\w+\\\\Z"')],
  ['a pattern with a class of Unicode', { pattern: '^\\p{L}+$' }, remarked(text, 'pattern: "^\\\\p{L}+$"')],
  ['an invalid pattern', { type: 'string', pattern: '(' }, remarked(text, 'pattern: "("')],
  ['a pattern with a large count', { pattern: 'a{5000}' }, remarked(text, 'pattern: "a{5000}"')],
  ['a format', { type: 'string', format: 'uri' }, remarked(text, 'format: "uri"')],
  ['a format of numbers', { type: 'integer', format: 'int64' }, whole],
  [
    'exclusive bounds',
    { type: 'number', exclusiveMinimum: 0 },
    remarked({ type: 'number' }, 'exclusiveMinimum: 0'),
  ],
  [
    'exclusive bounds of draft 4',
    { type: 'number', minimum: 0, exclusiveMinimum: true },
    remarked({ type: 'number', minimum: 0 }, 'exclusiveMinimum: true'),
  ],
  ['a step', { type: 'integer', multipleOf: 5 }, remarked(whole, 'multipleOf: 5')],
  ['counts that are not whole', { type: 'string', minLength: -1, maxLength: 1.5 }, text],
  ['texts that are no texts', { type: 'string', description: 5, title: null, format: [] }, text],
  ['a default of another type', { type: 'string', default: 5 }, text],
  ['examples', { type: 'string', examples: ['a'] }, remarked(text, 'examples: ["a"]')],
  ['not', { type: 'string', not: { const: 'x' } }, remarked(text, 'not: {"const":"x"}')],
  [
    'allOf',
    { allOf: [{ type: 'string' }, { minLength: 3 }], description: 'Long' },
    { ...text, minLength: 3, description: 'Long' },
  ],
  [
    'allOf of enums',
    { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] },
    { type: 'string', enum: ['b'] },
  ],
  [
    'a base with alternatives',
    { type: 'string', anyOf: [{ minLength: 3 }, { enum: ['x'] }] },
    {
      anyOf: [
        { ...text, minLength: 3 },
        { ...text, enum: ['x'] },
      ],
    },
  ],
  [
    'alternatives of required properties',
    object(some, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    object(some, { description: sets('a', 'b') }),
  ],
  ['alternatives that are all impossible', { anyOf: [false] }, anything()],
  ['empty alternatives', { type: 'string', anyOf: [] }, text],
  [
    'a remote reference',
    { $ref: 'https://example.org/schema.json' },
    anything('($ref: "https://example.org/schema.json")'),
  ],
  ['a reference to nothing', { $ref: '#/$defs/none' }, anything('($ref: "#/$defs/none")')],
]

test.each(PROPERTIES)('a property with %s keeps what all providers accept', (_name, schema, expected) => {
  expect(propertiesOf(one(schema))['value']).toEqual(expected)
})

test('a property that allows no value is left out', () => {
  expect(adapted(object({ a: false, b: text }, { required: ['a', 'b'] })).schema).toEqual(
    object({ b: text }, { required: ['b'] }),
  )
})

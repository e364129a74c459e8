import Type, { type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { Enum, Nullable } from './schemas.ts'
import { compileValidator, validationError } from './validation.ts'

const Text = Type.String({ minLength: 1, maxLength: 5 })
const Stop = Nullable(Type.Unsafe({ anyOf: [Text, Type.Array(Text, { maxItems: 4 })] }))
const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })
const Input = Type.Unsafe({
  anyOf: [Text, Type.Array(Text, { minItems: 1 }), Tokens, Type.Array(Tokens, { minItems: 1 })],
})
const Named = Type.Object({ type: Enum(['function']), name: Text })
const Allowed = Type.Object({ type: Enum(['allowed_tools']), tools: Type.Array(Named) })
const Choice = Nullable(Type.Unsafe({ anyOf: [Enum(['auto', 'none']), Named, Allowed] }))
const Format = Type.Union([
  Type.Object({ type: Enum(['text', 'json_object']) }),
  Type.Object({ type: Enum(['json_schema']), json_schema: Type.Object({ name: Text }) }),
])
const Part = Type.Object({
  type: Type.String(),
  image: Type.Unsafe({ anyOf: [Text, Type.Object({ url: Text })] }),
})
const Content = Nullable(Type.Unsafe({ anyOf: [Text, Type.Array(Part)] }))

test.each<[TSchema, unknown, string]>([
  [Stop, ['a', 'b', 'c', 'd', 'e'], 'x must have at most 4 items.'],
  [Stop, '', 'x must not be empty.'],
  [Stop, 'abcdef', 'x must have at most 5 characters.'],
  [Stop, ['a', ''], 'x.1 must not be empty.'],
  [Stop, ['a', 5], 'x.1 must be a string.'],
  [Stop, 5, 'x must be a string or an array.'],
  [Stop, {}, 'x must be a string or an array.'],
  [Input, '', 'x must not be empty.'],
  [Input, [], 'x must have at least 1 item.'],
  [Input, ['a', ''], 'x.1 must not be empty.'],
  [Input, [''], 'x.0 must not be empty.'],
  [Input, ['a', 'b', 3], 'x.2 must be a string.'],
  [Input, [1, 'a'], 'x.1 must be an integer.'],
  [Input, [1, -1], 'x.1 must be at least 0.'],
  [Input, [true], 'x.0 must be a string.'],
  [Input, [1.5], 'x.0 must be an integer.'],
  [Input, [[1], []], 'x.1 must have at least 1 item.'],
  [Input, [[1], [2, 'a']], 'x.1.1 must be an integer.'],
  [Input, [[1], 'a'], 'x.1 must be an array.'],
  [Input, null, 'x must be a string or an array.'],
  [Choice, 'always', 'x must be one of: auto, none.'],
  [Choice, { type: 'function' }, 'x.name is required.'],
  [Choice, { type: 'function', name: '' }, 'x.name must not be empty.'],
  [Choice, { type: 'allowed_tools' }, 'x.tools is required.'],
  [Choice, { type: 'allowed_tools', tools: [{ type: 'function' }] }, 'x.tools.0.name is required.'],
  [Choice, { type: 'other', name: 'a', tools: [] }, 'x.type must be one of: function, allowed_tools.'],
  [Format, { type: 'json_schema' }, 'x.json_schema is required.'],
  [Format, { type: 'json_schema', json_schema: {} }, 'x.json_schema.name is required.'],
  [
    Format,
    { type: 'xml', json_schema: { name: 'a' } },
    'x.type must be one of: text, json_object, json_schema.',
  ],
  [Format, 'text', 'x must be an object.'],
  [Content, [{ type: 'a', image: '' }], 'x.0.image must not be empty.'],
  [Content, [{ type: 'a', image: {} }], 'x.0.image.url is required.'],
  [Content, [{ type: 'a', image: 3 }], 'x.0.image must be a string or an object.'],
  [Content, [{ type: 5, image: 'a' }], 'x.0.type must be a string.'],
  // More errors than are compared.
  [Stop, Array(500).fill('a'), 'x must have at most 4 items.'],
  [
    Content,
    [...Array(500).fill({ type: 'a', image: 'a' }), { type: 5, image: 'a' }],
    'x.500.type must be a string.',
  ],
  [Input, [...Array(500).fill(1), 'a'], 'x.500 must be an integer.'],
  [Input, [...Array(500).fill([1]), 'a'], 'x.500 must be an array.'],
])('%#: %j', (schema, x, message) => {
  const isValid = compileValidator(Type.Object({ x: schema }), 'body')
  expect(isValid({ x })).toBe(false)
  expect(validationError(isValid.errors ?? [], 'body').message).toBe(message)
  expect(validationError(isValid.errors ?? [], 'body').issues).toHaveLength(1)
})

import fc from 'fast-check'
import { PARAMETER_TYPES, type ParameterDescriptor } from '#database/schema/tools.ts'

type Type = ParameterDescriptor['type']

/** For each parameter type, a generator of its values. */
const VALUES: Record<Type, fc.Arbitrary<unknown>> = {
  str: fc.string({ unit: 'grapheme' }),
  int: fc.integer(),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bool: fc.boolean(),
  list: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
  dict: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
}

const EXAMPLES: Record<Type, unknown> = {
  str: 'a',
  int: 1,
  float: 0.5,
  bool: true,
  list: [1],
  dict: { a: 1 },
}
export const exampleOf = (type: Type): unknown => EXAMPLES[type]

/** Valid parameter names that have a special meaning in some programming language. */
const TRICKY_NAMES = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'config',
  'input',
  'self_',
  'length',
]

const name = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/), fc.constantFrom(...TRICKY_NAMES))

/** Generates valid parameter descriptors. A default value has the type of the parameter. */
export const descriptor: fc.Arbitrary<ParameterDescriptor> = fc
  .record({
    name,
    type: fc.constantFrom(...PARAMETER_TYPES),
    required: fc.boolean(),
    hasDefault: fc.boolean(),
  })
  .chain(({ hasDefault, ...rest }) =>
    VALUES[rest.type].map((value) => ({
      ...rest,
      description: '',
      default: hasDefault ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
    })),
  )

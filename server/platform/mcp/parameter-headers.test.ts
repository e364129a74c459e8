import { expect, test } from 'vitest'
import { findHeaderFault, hasHeaders } from './parameter-headers.ts'

const region = { type: 'string', 'x-mcp-header': 'Region' }
const withProperties = (properties: object) => ({ type: 'object', properties })

test('valid annotations are on parameters and their properties', () => {
  const schema = withProperties({
    region,
    place: withProperties({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } }),
    isDry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    // Values, not schemas.
    other: { type: 'string', default: { 'x-mcp-header': 'x' }, enum: [{ 'x-mcp-header': 'x' }] },
    'x-mcp-header': { type: 'string' },
  })
  expect(findHeaderFault(schema)).toBeNull()
  expect(hasHeaders(schema)).toBe(true)
  expect(hasHeaders(withProperties({ 'x-mcp-header': { type: 'string' } }))).toBe(false)
})

test.each<[string, object, RegExp]>([
  ['the root', { type: 'object', 'x-mcp-header': 'Region' }, /only allowed/],
  ['the items of a list', withProperties({ many: { type: 'array', items: region } }), /only allowed/],
  ['an alternative', withProperties({ one: { anyOf: [withProperties({ region })] } }), /only allowed/],
  ['a definition', { type: 'object', $defs: { region } }, /only allowed/],
  ['any other property', { type: 'object', additionalProperties: region }, /only allowed/],
  ['an object', withProperties({ place: { ...region, type: 'object' } }), /not on a string/],
  ['a number', withProperties({ price: { ...region, type: 'number' } }), /not on a string/],
  ['a parameter without a type', withProperties({ place: { 'x-mcp-header': 'Region' } }), /not on a string/],
  [
    'two parameters',
    withProperties({ region, other: { ...region, 'x-mcp-header': 'REGION' } }),
    /two parameters/,
  ],
])('an annotation on %s is invalid', (_where, schema, fault) => {
  expect(findHeaderFault(schema)).toMatch(fault)
})

test.each(['', 'My Region', 'Region:', 'Region\r\nCookie', 'Région', 7, null, ['Region']])(
  'the header name %j is invalid',
  (name) => {
    expect(findHeaderFault(withProperties({ region: { ...region, 'x-mcp-header': name } }))).toMatch(
      /not a valid header name/,
    )
  },
)

import { expect } from 'vitest'
import { adaptSchema } from '#platform/mcp/tool-schemas/adapt.ts'
import { schemaFault } from '../provider/schema-faults.ts'

export type Json = Record<string, unknown>

export const text = { type: 'string' }
export const whole = { type: 'integer' }
export const object = (properties: unknown, more: Json = {}): Json => ({
  type: 'object',
  properties,
  ...more,
})
/** Returns the schema of an object with one property `value`. */
export const one = (schema: unknown): Json => object({ value: schema })
export const withA = { properties: { a: text }, required: ['a'] }
export const withB = { properties: { b: whole }, required: ['b'] }
export const sets = (...names: string[]) =>
  `Provide the properties of one of these sets: ${names.join('; ')}.`

/** Adapts a schema, and expects that no provider finds a fault in the result. */
export function adapted(schema: unknown) {
  const tool = adaptSchema(schema)
  if ('refused' in tool) throw new Error(tool.refused)
  expect(schemaFault(tool.schema)).toBeNull()
  return tool
}

export const propertiesOf = (schema: unknown) => adapted(schema).schema['properties'] as Record<string, Json>

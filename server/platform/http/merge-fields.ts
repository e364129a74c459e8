import Type, { type Static, type TObject, type TSchema, type TUnsafe } from 'typebox'
import { isRecord } from './is-record.ts'
import { Body, described, Nullable } from './schemas.ts'

/** The change of an object: null removes an optional key, and nested objects are changed in the same way. */
export type Change<T> = { [Name in keyof T]: ChangedField<NonNullable<T[Name]>> | Removal<T[Name]> }

type ChangedField<Field> = Field extends readonly unknown[]
  ? Field
  : Field extends object
    ? Change<Field>
    : Field
type Removal<Field> = undefined extends Field ? null | undefined : never

const MERGED = 'Merged by key: omitted keys stay unchanged, null removes one.'
const REPLACED = 'Replaces the previous value as a whole.'

/** Returns the schema of an object in an update that replaces it as a whole. */
export const Replacing = <S extends TSchema>(schema: S): S =>
  described(schema, `${(schema as { description?: string }).description} ${REPLACED}`)

/** Returns the schema for changes of an object whose keys are all optional. The description says that it merges. */
export function ChangeOf<O extends TObject>(schema: O): TUnsafe<Change<Static<O>>> {
  const { title, description = '' } = schema as { title?: string; description?: string }
  const properties: Record<string, TSchema> = {}
  for (const [name, field] of Object.entries(schema.properties)) {
    const isObjectField = (field as { type?: string }).type === 'object'
    properties[name] = Type.Optional(Nullable(isObjectField ? ChangeOf(field as TObject) : field))
  }
  const change = Body(properties, title === undefined ? {} : { title: `${title}Change` })
  return Type.Unsafe<Change<Static<O>>>(described(change, `${description} ${MERGED}`.trim()))
}

/** Returns an object with the changes applied. */
export function mergeFields<T extends object>(before: T, change: Change<T>): T {
  const merged = { ...before } as Record<string, unknown>
  for (const [name, value] of Object.entries(change as object)) {
    if (value === null) delete merged[name]
    else if (isRecord(value))
      merged[name] = mergeFields<object>(isRecord(merged[name]) ? merged[name] : {}, value)
    else if (value !== undefined) merged[name] = value
  }
  return merged as T
}

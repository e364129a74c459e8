import { isObject, isText, type Schema } from './schema.ts'

/** Maximum size of a schema, in characters of JSON, and of an adapted one. */
export const SCHEMA_CHARACTERS_MAX = 64 * 1024
/** Maximum levels of values within values. */
const DEPTH_MAX = 64

export interface Survey {
  /** The names of all properties at all levels. */
  names: Set<string>
  /** The schemas that have a name of their own: `$id` as it is, `$anchor` after a `#`. */
  named: Map<string, Schema>
}

/** Visits all values of a schema once. Returns null if they are too many or nested too deeply. */
export function survey(root: Schema): Survey | null {
  const names = new Set<string>()
  const named = new Map<string, Schema>()
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  let characters = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    characters += isText(value) ? value.length + 3 : 3
    if (depth > DEPTH_MAX || characters > SCHEMA_CHARACTERS_MAX) return null
    if (Array.isArray(value)) for (const inner of value) open.push({ value: inner, depth: depth + 1 })
    if (!isObject(value)) continue
    for (const [id, prefix] of [
      ['$id', ''],
      ['id', ''],
      ['$anchor', '#'],
      ['$dynamicAnchor', '#'],
    ] as const)
      if (isText(value[id]) && !named.has(prefix + value[id])) named.set(prefix + value[id], value)
    if (isObject(value['properties'])) for (const name of Object.keys(value['properties'])) names.add(name)
    for (const key of Object.keys(value)) {
      characters += key.length + 3
      open.push({ value: value[key], depth: depth + 1 })
    }
  }
  return { names, named }
}

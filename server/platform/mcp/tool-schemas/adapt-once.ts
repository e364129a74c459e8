import { setImmediate } from 'node:timers/promises'
import { type AdaptedSchema, adaptSchema } from './adapt.ts'

type Adapted = AdaptedSchema | { refused: string }

/** Maximum size of the remembered schemas, in characters of JSON. All are forgotten when it is reached. */
const REMEMBERED_CHARACTERS_MAX = 8_000_000

const remembered = new Map<string, Adapted>()
let characters = 0

/**
 * Adapts a schema as adaptSchema does, and remembers the result, because an agent needs the same schemas for each
 * message. Other work can run between two schemas, since a hostile one takes long.
 */
export async function adaptOnce(schema: unknown): Promise<Adapted> {
  const text = JSON.stringify(schema) ?? ''
  const known = remembered.get(text)
  if (known) return known
  await setImmediate()
  const adapted = adaptSchema(schema)
  characters += text.length
  if (characters > REMEMBERED_CHARACTERS_MAX) {
    remembered.clear()
    characters = text.length
  }
  remembered.set(text, adapted)
  return adapted
}

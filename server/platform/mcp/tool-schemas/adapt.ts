import { sentence } from '#errors'
import { PropertyNames } from './property-names.ts'
import { References } from './references.ts'
import { isObject, type Schema } from './schema.ts'
import { Simplifier } from './simplify.ts'
import { SCHEMA_CHARACTERS_MAX, survey } from './survey.ts'
import { TooLarge, Work } from './work.ts'
import { Writer } from './write.ts'

/** Levels of nested schemas that are described. If they are too large, fewer are. */
const LEVELS = [10, 4, 1]

export interface AdaptedSchema {
  schema: Schema
  /** Returns the arguments that a model wrote, with the property names of the tool's own schema. */
  toServer(input: Schema): Schema
}

/**
 * Makes the input schema of a tool acceptable to OpenAI, Anthropic and Google at once. They refuse the whole request for
 * one schema that breaks their rules. Keywords that one of them refuses become simpler, or a part of the description:
 * the tool's server checks the arguments anyway. Returns why a tool cannot be offered to a model in `refused`.
 */
export function adaptSchema(given: unknown): AdaptedSchema | { refused: string } {
  if (given === true) return adaptSchema({})
  if (!isObject(given)) return { refused: sentence('mcp.schema_invalid') }
  const found = survey(given)
  if (found === null) return { refused: sentence('mcp.schema_too_large') }
  const references = new References(given, found.named)
  for (const levels of LEVELS)
    try {
      const names = new PropertyNames(found.names)
      const nameOf = (name: string): string => names.nameOf(name)
      const work = new Work(SCHEMA_CHARACTERS_MAX)
      const simplifier = new Simplifier(references, nameOf, work)
      const root = simplifier.fold(simplifier.simplify(given, []))
      if (root === null) return { refused: sentence('mcp.schema_no_object') }
      const schema = new Writer(simplifier, nameOf, work, levels).writeRoot(root)
      return { schema, toServer: (input) => names.restore(input, schema) }
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  return { refused: sentence('mcp.schema_too_large') }
}

import { isObject, isText, listOf, type Schema } from './schema.ts'

/** Within one document, the three refer alike. */
const KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef']

export const referenceOf = (schema: Schema): string | undefined =>
  KEYWORDS.map((keyword) => schema[keyword]).find(isText)

/** Finds the schemas to which a tool's schema refers. Nothing is fetched. */
export class References {
  readonly #root: Schema
  readonly #named: ReadonlyMap<string, Schema>

  constructor(root: Schema, named: ReadonlyMap<string, Schema>) {
    this.#root = root
    this.#named = named
  }

  /**
   * Returns the schema to which a reference refers, or null if there is none. Within itself, given by the references in
   * `path`, a schema is only its outline, because a recursive schema has no end.
   */
  find(reference: string, path: readonly string[]): Schema | null {
    const found = this.#find(reference)
    return found !== null && path.includes(reference) ? outlineOf(found) : found
  }

  #find(reference: string): Schema | null {
    const [document = '', fragment = ''] = reference.split('#', 2)
    const start = document === '' ? this.#root : this.#named.get(document)
    if (start === undefined) return null
    if (fragment !== '' && !fragment.startsWith('/')) return this.#named.get(`#${fragment}`) ?? null
    let found: unknown = start
    for (const step of fragment.split('/').slice(1)) {
      const key = decode(step)
      const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
      found = isThere ? (found as Schema)[key] : undefined
    }
    if (found === true) return {}
    return isObject(found) ? found : null
  }
}

/** Returns a schema without the schemas in it. */
const outlineOf = ({ type, title, description, ...rest }: Schema): Schema => ({
  type: type ?? (isObject(rest['properties']) || listOf(rest['allOf']).length > 0 ? 'object' : undefined),
  title,
  description,
})

/** Decodes a step of a JSON pointer in a URI fragment (RFC 6901, 4 and 6). */
function decode(step: string): string {
  try {
    return unescaped(decodeURIComponent(step))
  } catch {
    return unescaped(step)
  }
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

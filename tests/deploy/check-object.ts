import { KUBERNETES_SCHEMAS } from '../clients/kubernetes.ts'

/**
 * Returns what is wrong with a Kubernetes object: its violations of the schema, and its unknown fields. The schemas allow
 * any further field, which Kubernetes would drop. A field is unknown if the schema's function does not read it.
 */
export function checkObject(object: Record<string, unknown>): string[] {
  const validate = KUBERNETES_SCHEMAS[String(object['kind'])]
  if (!validate) return [`${object['kind']} is not a known kind`]
  const read = new Set<string>()
  if (!validate(watch(object, '', read)))
    return (validate.errors ?? []).map(
      ({ instancePath, keyword, params }) => `${instancePath}: ${keyword} ${JSON.stringify(params)}`,
    )
  return pathsOf(object, '').filter((path) => !read.has(path))
}

/** Returns a proxy that adds the path of each field that is read to a set. */
function watch(object: object, path: string, read: Set<string>): object {
  return new Proxy(object, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return value
      read.add(`${path}/${name}`)
      return typeof value === 'object' && value !== null ? watch(value, `${path}/${name}`, read) : value
    },
  })
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}/${name}`,
    ...pathsOf(inner, `${path}/${name}`),
  ])
}

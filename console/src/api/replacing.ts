type Fields = Record<string, unknown>

/** The change that turns one object into another: removed keys are null, as the API expects. */
export function replacing<Change>(before: object, next: object): Change {
  const change: Fields = { ...next }
  for (const [name, old] of Object.entries(before)) {
    const value = (next as Fields)[name]
    if (value === undefined) change[name] = null
    else if (isFields(old) && isFields(value)) change[name] = replacing(old, value)
  }
  return change as Change
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What every provider takes as the name of a function; Google wants a letter or an underscore at its beginning. */
const NAME_CHARACTERS_MAX = 64

export interface NamedTool {
  /** As its server calls it. */
  name: string
  /** Whose tool it is. */
  ownerId: string
  /** What it is known by where others have one of the same name. */
  prefix: string
}

/**
 * Names for a model, in the order of the tools: valid, and no two alike. A tool is called as its server calls it; where
 * several owners have one of the same name, or it is `reserved`, each of these has its prefix; what is still alike is
 * numbered.
 */
export function nameToolsForModel(tools: readonly NamedTool[], reserved: readonly string[] = []): string[] {
  const owners = new Map(reserved.map((name) => [name, new Set([''])]))
  for (const { name, ownerId } of tools) {
    const valid = validName(name)
    owners.set(valid, (owners.get(valid) ?? new Set()).add(ownerId))
  }
  const taken = new Set(reserved)
  return tools.map(({ name, prefix }) => {
    const isShared = (owners.get(validName(name))?.size ?? 0) > 1
    const preferred = validName(isShared ? `${prefix}_${name}` : name)
    const free = uniqueName(preferred, taken)
    taken.add(free)
    return free
  })
}

function validName(name: string): string {
  const valid = name.replace(/[^A-Za-z0-9_-]/g, '_')
  return (/^[A-Za-z_]/.test(valid) ? valid : `_${valid}`).slice(0, NAME_CHARACTERS_MAX)
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`
    const candidate = name.slice(0, NAME_CHARACTERS_MAX - end.length) + end
    if (!taken.has(candidate)) return candidate
  }
}

const NAME_CHARACTERS_MAX = 64
/** So much of a name is the agent's own, where something is put behind it. */
const STEM_CHARACTERS_MAX = 31
const SUFFIX_CHARACTERS = 8
const UNNAMED = 'agent'

/**
 * Names of tools after the names of agents, unique whatever the case: letters of ASCII, digits, _ and - (server, tools).
 * Of agents whose names come to the same the first keeps it, and the others get the end of their id behind it: so a new
 * agent never takes another's name.
 */
export function nameAgentsAsTools<Agent extends { id: string; name: string }>(
  agents: readonly Agent[],
  reserved: readonly string[],
): Map<string, Agent> {
  const taken = new Set(reserved)
  const named = new Map<string, Agent>()
  for (const agent of agents) {
    const name = candidates(agent).find((candidate) => !taken.has(candidate.toLowerCase())) as string
    taken.add(name.toLowerCase())
    named.set(name, agent)
  }
  return named
}

/** The last one has the whole id in it, and is nobody else's. */
function candidates({ id, name }: { id: string; name: string }): string[] {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, NAME_CHARACTERS_MAX)
  const own = plain || UNNAMED
  const stem = own.slice(0, STEM_CHARACTERS_MAX)
  const digits = id.replaceAll('-', '')
  return [own, `${stem}_${digits.slice(-SUFFIX_CHARACTERS)}`, `${stem}_${digits}`]
}

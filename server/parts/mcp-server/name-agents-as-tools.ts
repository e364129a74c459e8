const NAME_CHARACTERS_MAX = 64
/** Length to which an agent's name is cut before a suffix is added. */
const STEM_CHARACTERS_MAX = 31
const SUFFIX_CHARACTERS = 8
const UNNAMED = 'agent'

/**
 * Maps unique tool names to agents. Names contain only ASCII letters, digits, `_` and `-`, and are unique regardless
 * of case (MCP specification, server, tools). If names collide, the first agent keeps the name, and the other agents
 * get the end of their id as a suffix. With the oldest agent first, a new agent never takes another agent's name.
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

/** Returns candidate names for an agent, best first. The last one contains the whole id, so it is always unique. */
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

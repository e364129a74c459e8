/** A range of a text, in UTF-16 code units. `end` is exclusive. */
export interface Range {
  start: number
  end: number
}

/**
 * Returns a function that finds all occurrences of the given strings in a text, joined to ranges that neither overlap
 * nor touch. Its time grows with the text and not with the number of strings (Aho and Corasick, 1975).
 */
export function findAnyOf(wanted: readonly string[]): (text: string) => Range[] {
  const next = new Map<number, number>()
  /** Per node: the length of the longest wanted string that ends there, and the node of the longest proper suffix. */
  const longest = [0]
  const suffix = [0]
  const child = (node: number, code: number): number | undefined => next.get(node * CODES + code)

  for (const string of wanted) {
    let node = 0
    for (let at = 0; at < string.length; at += 1) {
      const code = string.charCodeAt(at)
      let following = child(node, code)
      if (following === undefined) {
        following = longest.push(0) - 1
        next.set(node * CODES + code, following)
      }
      node = following
    }
    longest[node] = string.length
  }

  const step = (from: number, code: number): number => {
    for (let node = from; ; node = suffix[node] as number) {
      const following = child(node, code)
      if (following !== undefined) return following
      if (node === 0) return 0
    }
  }
  for (const { parent, code, node } of breadthFirst(next)) {
    suffix[node] = parent === 0 ? 0 : step(suffix[parent] as number, code)
    longest[node] = Math.max(longest[node] as number, longest[suffix[node] as number] as number)
  }

  /** Most characters of a text begin none of the strings. */
  const beginsAny = new Uint8Array(CODES)
  for (const string of wanted) if (string !== '') beginsAny[string.charCodeAt(0)] = 1

  return (text) => {
    const found: Range[] = []
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (node === 0 && beginsAny[code] === 0) continue
      node = step(node, code)
      const length = longest[node] as number
      if (length > 0) add(found, { start: at + 1 - length, end: at + 1 })
    }
    return found
  }
}

/** The number of UTF-16 code units. */
const CODES = 0x10000

/** Adds a range that ends after all others, and joins it with those that it touches. */
function add(ranges: Range[], { start, end }: Range): void {
  let from = start
  while (ranges.length > 0 && (ranges.at(-1) as Range).end >= start)
    from = Math.min(from, (ranges.pop() as Range).start)
  ranges.push({ start: from, end })
}

/** Yields the edges of the tree, those near the root first. */
function* breadthFirst(
  next: ReadonlyMap<number, number>,
): Generator<{ parent: number; code: number; node: number }> {
  const edges = new Map<number, { parent: number; code: number; node: number }[]>()
  for (const [key, node] of next) {
    const parent = Math.floor(key / CODES)
    const edge = { parent, code: key % CODES, node }
    const siblings = edges.get(parent)
    if (siblings) siblings.push(edge)
    else edges.set(parent, [edge])
  }
  const waiting = [0]
  for (const parent of waiting)
    for (const edge of edges.get(parent) ?? []) {
      waiting.push(edge.node)
      yield edge
    }
}

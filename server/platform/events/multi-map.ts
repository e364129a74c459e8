/** A map with a set of items per key. A key without items is absent. */
export class MultiMap<Item> {
  readonly #sets = new Map<string, Set<Item>>()

  /** Number of keys. */
  get size(): number {
    return this.#sets.size
  }

  keys(): Iterable<string> {
    return this.#sets.keys()
  }

  has(key: string): boolean {
    return this.#sets.has(key)
  }

  of(key: string): ReadonlySet<Item> {
    return this.#sets.get(key) ?? new Set()
  }

  all(): Item[] {
    return [...this.#sets.values()].flatMap((items) => [...items])
  }

  add(key: string, item: Item): void {
    const items = this.#sets.get(key)
    if (items) items.add(item)
    else this.#sets.set(key, new Set([item]))
  }

  /** Returns whether the item was present. */
  remove(key: string, item: Item): boolean {
    const items = this.#sets.get(key)
    const wasPresent = items?.delete(item) ?? false
    if (items?.size === 0) this.#sets.delete(key)
    return wasPresent
  }
}

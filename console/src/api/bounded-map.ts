/**
 * A map with a maximum number of entries. When a new entry exceeds the maximum, the map evicts the entry whose last
 * `set` is the oldest.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #entriesMax: number

  constructor(entriesMax: number) {
    super()
    this.#entriesMax = entriesMax
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#entriesMax) this.delete(this.keys().next().value as Key)
    return this
  }
}

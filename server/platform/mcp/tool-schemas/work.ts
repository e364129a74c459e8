/** Thrown if a schema needs too much work, or is too large when it is adapted. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** The cost of a written character, and of a visited entry, relative to that of a compared character. */
const WRITTEN_COST = 16
const ENTRY_COST = 32

/** Limits the work on one schema, because references within it can multiply its size. Its methods throw TooLarge. */
export class Work {
  #left: number

  /** @param charactersMax the maximum size of the adapted schema, in characters of JSON */
  constructor(charactersMax: number) {
    this.#left = charactersMax * WRITTEN_COST
  }

  /** Counts a step that visits `entries` entries of lists and objects. */
  step(entries: number): void {
    this.#spend(ENTRY_COST * (1 + entries))
  }

  /** Counts what is written to the adapted schema. */
  written(value: unknown): void {
    this.#spend(WRITTEN_COST * JSON.stringify(value).length)
  }

  /** Returns the JSON of a value, for a comparison. */
  write(value: unknown): string {
    const text = JSON.stringify(value) ?? ''
    this.#spend(text.length)
    return text
  }

  /** Returns the values without those that equal an earlier one. */
  distinct<Value>(values: readonly Value[]): Value[] {
    const different = [...new Set(values)]
    if (different.length < 2) return different
    const byText = new Map<string, Value>()
    for (const value of different) {
      const text = this.write(value)
      if (!byText.has(text)) byText.set(text, value)
    }
    return [...byText.values()]
  }

  #spend(cost: number): void {
    this.#left -= cost
    if (this.#left < 0) throw new TooLarge('the schema is too large')
  }
}

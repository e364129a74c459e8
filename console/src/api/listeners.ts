/** The listeners to the state of a module, for useSyncExternalStore. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** Returns a function that removes the listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  notify(): void {
    for (const listener of this.#all) listener()
  }
}

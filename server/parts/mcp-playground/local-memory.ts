import {
  EXCHANGES_MAX,
  type Exchange,
  MEMORY_SECONDS,
  type MemoryOwner,
  type PlaygroundMemory,
  rememberedOf,
} from './memory.ts'

/**
 * Maximum total size of all memories, in characters of JSON. Beyond it, the least recently used memory is evicted.
 */
const CHARACTERS_MAX = 32 * 1024 * 1024

interface MemoryEntry {
  exchanges: Exchange[]
  characters: number
  forgetting: NodeJS.Timeout
}

/** Keeps memories in this process. They are lost when the process ends. */
export class LocalMemory implements PlaygroundMemory {
  /** Ordered by last use, least recently used first. */
  readonly #entries = new Map<string, MemoryEntry>()
  readonly #charactersMax: number
  #characters = 0

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax
  }

  async read(owner: MemoryOwner): Promise<Exchange[]> {
    return rememberedOf(this.#entries.get(keyOf(owner))?.exchanges ?? [])
  }

  async append(owner: MemoryOwner, exchange: Exchange): Promise<void> {
    const key = keyOf(owner)
    const exchanges = [...(this.#entries.get(key)?.exchanges ?? []), exchange].slice(-EXCHANGES_MAX)
    this.#forget(key)
    const characters = JSON.stringify(exchanges).length
    const forgetting = setTimeout(() => this.#forget(key), MEMORY_SECONDS * 1000).unref()
    this.#entries.set(key, { exchanges, characters, forgetting })
    this.#characters += characters
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.#charactersMax) break
      this.#forget(oldest)
    }
  }

  async clear(owner: MemoryOwner): Promise<void> {
    this.#forget(keyOf(owner))
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    clearTimeout(entry.forgetting)
    this.#entries.delete(key)
    this.#characters -= entry.characters
  }
}

const keyOf = ({ organizationId, userId }: MemoryOwner): string => `${organizationId} ${userId}`

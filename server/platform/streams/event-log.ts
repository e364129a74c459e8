/** The named events that a reader receives: all of them, none, or only those of some names. */
export type NamedEvents = boolean | { only: readonly string[] }

/**
 * The events of one reply in order, stored as Server-Sent Events text (WHATWG HTML). Any number of readers follow the
 * log, each from its own position and at its own pace. Readers never delay the writer.
 */
export class EventLog {
  readonly #chunks: Chunk[] = []
  readonly #readers = new Set<() => void>()
  #pending = ''
  #pendingHasNames = false
  #ended = false

  /** Appends an event. Events with a name are visible only to readers that request named events. */
  append(id: string, data: string, name?: string): void {
    // Events appended in the same event loop turn are flushed as one chunk.
    if (this.#pending === '') setImmediate(this.#flush)
    if (name === undefined) this.#pending += `id: ${id}\ndata: ${data}\n\n`
    else {
      this.#pending += `event: ${name}\nid: ${id}\ndata: ${data}\n\n`
      this.#pendingHasNames = true
    }
  }

  /** Appends events copied from another log, which may include named events. */
  appendEvents(events: string): void {
    this.#chunks.push({ plain: withoutNamed(events), all: events })
    this.#wakeReaders()
  }

  end(): void {
    this.#flush()
    this.#ended = true
    this.#wakeReaders()
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Returns the position after the event `id`. Returns undefined if the log does not contain the event. */
  positionAfter(id: string, named: NamedEvents): Position | undefined {
    for (const [index, { all }] of this.#chunks.entries()) {
      const found = `\n${all}`.indexOf(`\nid: ${id}\n`)
      if (found < 0) continue
      const read = all.slice(0, all.indexOf('\n\n', found) + 2)
      return { index, offset: eventsFor(named, read).length }
    }
    return undefined
  }

  /**
   * Returns the rest of the chunk at a position, and moves the position to the next chunk. Returns undefined if there
   * is nothing to read yet.
   */
  read(position: Position, named: NamedEvents): string | undefined {
    const chunk = this.#chunks[position.index]
    if (!chunk) return undefined
    const text = named === true ? chunk.all : named === false ? chunk.plain : eventsFor(named, chunk.all)
    const piece = position.offset === 0 ? text : text.slice(position.offset)
    position.index += 1
    position.offset = 0
    return piece
  }

  /** Calls `wake` whenever there are new events, and when the log ends. Returns a function that stops the calls. */
  follow(wake: () => void): () => void {
    this.#readers.add(wake)
    return () => this.#readers.delete(wake)
  }

  readonly #flush = (): void => {
    const all = this.#pending
    if (all === '') return
    this.#chunks.push({ plain: this.#pendingHasNames ? withoutNamed(all) : all, all })
    this.#pending = ''
    this.#pendingHasNames = false
    this.#wakeReaders()
  }

  #wakeReaders(): void {
    for (const wake of this.#readers) wake()
  }
}

const withoutNamed = (events: string): string => eventsFor(false, events)

/** Returns the events that a reader receives. */
function eventsFor(named: NamedEvents, events: string): string {
  // Most pieces of a reply have no named event.
  if (named === true || !events.includes('event: ')) return events
  const own = named === false ? [] : named.only.map((name) => `event: ${name}\n`)
  return events
    .split(/(?<=\n\n)/)
    .filter((event) => !event.startsWith('event: ') || own.some((start) => event.startsWith(start)))
    .join('')
}

interface Chunk {
  plain: string
  all: string
}

/** A position in a log: the index of a chunk, and the number of the chunk's characters that were read. */
export interface Position {
  index: number
  offset: number
}

export const startOfLog = (): Position => ({ index: 0, offset: 0 })

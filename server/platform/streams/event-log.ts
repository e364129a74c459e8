/**
 * The events of one reply, in order, kept as the text that goes over the wire (Server-Sent Events, WHATWG HTML).
 * Writing a reply and sending it are two things: any number of readers follow at their own pace, from any position,
 * and none of them can hold the writer up.
 */
export class EventLog {
  readonly #chunks: Chunk[] = []
  readonly #readers = new Set<() => void>()
  #pending = ''
  #pendingHasNames = false
  #ended = false

  /** Adds an event. Those with a name are seen only by readers that ask for them. */
  append(id: string, data: string, name?: string): void {
    // What comes within one turn of the event loop leaves as one write.
    if (this.#pending === '') setImmediate(this.#flush)
    if (name === undefined) this.#pending += `id: ${id}\ndata: ${data}\n\n`
    else {
      this.#pending += `event: ${name}\nid: ${id}\ndata: ${data}\n\n`
      this.#pendingHasNames = true
    }
  }

  /** Adds events as they were read from another log, names and all. */
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

  /** Where a reader has to begin who has everything up to the event `id`; undefined where it was never in here. */
  positionAfter(id: string, named: boolean): Position | undefined {
    for (const [index, { all }] of this.#chunks.entries()) {
      const found = `\n${all}`.indexOf(`\nid: ${id}\n`)
      if (found < 0) continue
      const read = all.slice(0, all.indexOf('\n\n', found) + 2)
      return { index, offset: named ? read.length : withoutNamed(read).length }
    }
    return undefined
  }

  /** The next piece after a position, or undefined while there is none. Moves the position. */
  read(position: Position, named: boolean): string | undefined {
    const chunk = this.#chunks[position.index]
    if (!chunk) return undefined
    const text = named ? chunk.all : chunk.plain
    const piece = position.offset === 0 ? text : text.slice(position.offset)
    position.index += 1
    position.offset = 0
    return piece
  }

  /** Calls `wake` whenever there is more to read or the log has ended. Answers how to leave. */
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

const withoutNamed = (events: string): string =>
  events
    .split(/(?<=\n\n)/)
    .filter((event) => !event.startsWith('event: '))
    .join('')

interface Chunk {
  plain: string
  all: string
}

/** A place in a log: a chunk, and how much of it was read. */
export interface Position {
  index: number
  offset: number
}

export const startOfLog = (): Position => ({ index: 0, offset: 0 })

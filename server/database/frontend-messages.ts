/** Codes of the first message of a connection, and types of later ones (PostgreSQL documentation, Message Formats). */
const PROTOCOL_3 = 196_608
const QUERY = 0x51
const SYNC = 0x53
const TERMINATE = 0x58

/** Size of a message's length, which counts itself but not the type before it. */
const LENGTH_BYTES = 4

/** Messages of a connection that have arrived together. */
export interface MessageGroup {
  bytes: Uint8Array
  /** True if the last message ends a statement, so that the server is ready for a statement of another connection. */
  isComplete: boolean
}

/** Splits the bytes that a client of PostgreSQL sends into messages. */
export class FrontendMessages {
  #pieces: Buffer[] = []
  #length = 0
  /** Number of bytes at which the next message is complete, as far as known. */
  #needed = LENGTH_BYTES
  #hasStarted = false
  /** True once the client has ended the connection, or sent a first message that is not supported. */
  isOver = false

  /** Adds bytes. Returns the messages that are complete now: the first one of a connection alone, and others together. */
  add(bytes: Buffer): MessageGroup[] {
    this.#pieces.push(bytes)
    this.#length += bytes.length
    if (this.#length < this.#needed || this.isOver) return []
    const all = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces)
    const groups: MessageGroup[] = []
    const begin = this.#hasStarted ? 0 : this.#start(all, groups)
    const end = this.isOver || !this.#hasStarted ? begin : this.#group(all, begin, groups)
    this.#pieces = end < all.length ? [all.subarray(end)] : []
    this.#length = all.length - end
    this.#needed -= end
    return groups
  }

  /** Reads the first message, which has no type. Returns its end, or 0 if it is incomplete. */
  #start(all: Buffer, groups: MessageGroup[]): number {
    const end = all.readUInt32BE(0)
    this.#needed = end
    if (end < 2 * LENGTH_BYTES) this.isOver = true
    if (this.isOver || all.length < end) return 0
    this.#hasStarted = true
    this.isOver = all.readUInt32BE(LENGTH_BYTES) !== PROTOCOL_3
    if (!this.isOver) groups.push({ bytes: all.subarray(0, end), isComplete: true })
    return end
  }

  /** Groups the complete messages from `begin` on. Returns their end. */
  #group(all: Buffer, begin: number, groups: MessageGroup[]): number {
    let end = begin
    let last = 0
    for (;;) {
      this.#needed = end + 1 + LENGTH_BYTES
      if (all.length < this.#needed) break
      const type = all[end]
      const length = all.readUInt32BE(end + 1)
      this.#needed = end + 1 + length
      this.isOver = type === TERMINATE || length < LENGTH_BYTES
      if (this.isOver || all.length < this.#needed) break
      last = type as number
      end = this.#needed
    }
    if (end > begin)
      groups.push({ bytes: all.subarray(begin, end), isComplete: last === SYNC || last === QUERY })
    return end
  }
}

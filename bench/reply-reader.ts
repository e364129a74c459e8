const QUOTE = 34
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'

/** Identifies tokens and the end in a server's stream without parsing its events. */
export interface Markers {
  /** The text before a token: `"content":"`. Empty tokens don't count. */
  token: string
  /**
   * The text at the end of a complete reply: `data: [DONE]`. If it contains the token's marker, it doesn't count as a
   * token.
   */
  end: string
}

type State = 'head' | 'size' | 'chunk' | 'chunk end' | 'trailer' | 'length' | 'until close' | 'complete'

/**
 * Reads one HTTP/1.1 response and counts the tokens of its event stream (RFC 9112, sections 6 and 7). Searches for
 * text without parsing: a reader that parsed JSON would use more CPU than some of the measured servers.
 */
export class ReplyReader {
  status = 0
  tokens = 0
  /** Whether the end marker was read. */
  ended = false
  /** Whether the server closes the connection after this response. */
  closes = false

  readonly #markers: Markers
  readonly #endCountsAsToken: boolean
  readonly #tailLength: number
  #state: State = 'head'
  /** Protocol bytes of an incomplete line. */
  #rest = ''
  /** The end of the body so far, which may contain the start of a marker. */
  #tail = ''
  #remaining = 0

  constructor(markers: Markers) {
    this.#markers = markers
    this.#endCountsAsToken = markers.end.includes(markers.token)
    this.#tailLength = Math.max(markers.token.length, markers.end.length)
  }

  /** Processes bytes from the socket. Returns true when the response is complete. */
  read(bytes: Buffer): boolean {
    const input = this.#rest + bytes.toString('latin1')
    let position = 0
    let body = ''
    let moved = true
    while (moved && this.#state !== 'complete') {
      const start = position
      const state = this.#state
      if (state === 'chunk' || state === 'length' || state === 'until close') {
        const end = Math.min(input.length, position + this.#remaining)
        body += input.slice(position, end)
        this.#remaining -= end - position
        position = end
        if (this.#remaining === 0) this.#state = state === 'chunk' ? 'chunk end' : 'complete'
      } else {
        position = this.#readLine(input, position)
      }
      moved = position > start
    }
    this.#rest = position < input.length ? input.slice(position) : ''
    if (body !== '') this.#count(body)
    return this.#state === 'complete'
  }

  /** The response has neither a length nor chunks, so it ends when the connection closes. */
  get endsAtClose(): boolean {
    return this.#state === 'until close'
  }

  /** Reads a line, or the whole head. Returns the position after it, or the same position if it is incomplete. */
  #readLine(input: string, position: number): number {
    const separator = this.#state === 'head' ? HEAD_END : LINE_END
    const end = input.indexOf(separator, position)
    if (end < 0) return position
    if (this.#state === 'head') {
      this.#readHead(input.slice(position, end).toLowerCase())
    } else if (this.#state === 'size') {
      this.#remaining = Number.parseInt(input.slice(position, end), 16)
      this.#state = this.#remaining === 0 ? 'trailer' : 'chunk'
    } else if (this.#state === 'chunk end') {
      this.#state = 'size'
    } else if (end === position) {
      this.#state = 'complete'
    }
    return end + separator.length
  }

  #readHead(head: string): void {
    this.status = Number(head.slice(9, 12))
    this.closes = head.includes('\r\nconnection: close')
    const [, length] = /\r\ncontent-length: *(\d+)/.exec(head) ?? []
    if (/\r\ntransfer-encoding: *chunked/.test(head)) {
      this.#state = 'size'
    } else if (length !== undefined) {
      this.#remaining = Number(length)
      this.#state = this.#remaining === 0 ? 'complete' : 'length'
    } else {
      this.#remaining = Number.POSITIVE_INFINITY
      this.#state = 'until close'
    }
  }

  #count(body: string): void {
    const { token, end } = this.#markers
    const view = this.#tail + body
    const seen = this.#tail.length
    for (let at = view.indexOf(token); at >= 0; at = view.indexOf(token, at + token.length)) {
      const next = at + token.length
      // Count a marker only once the next character is available, which shows whether the token is empty.
      if (next >= seen && next < view.length && view.charCodeAt(next) !== QUOTE) this.tokens++
    }
    if (!this.ended && view.includes(end)) {
      this.ended = true
      if (this.#endCountsAsToken) this.tokens--
    }
    this.#tail = view.slice(-this.#tailLength)
  }
}

const QUOTE = 34
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'

/** How a stream of one server is read, without parsing its events. */
export interface Markers {
  /** The text that precedes a token: `"content":"`. An empty token is none. */
  token: string
  /** The text that a whole reply ends with: `data: [DONE]`. It may hold the token's marker and is no token. */
  end: string
}

type State = 'head' | 'size' | 'chunk' | 'chunk end' | 'trailer' | 'length' | 'until close' | 'complete'

/**
 * Reads one HTTP/1.1 response and counts the tokens of the event stream inside it (RFC 9112, sections 6 and 7). It
 * looks for text in text: a reader that parsed JSON would cost more than some of the servers it measures.
 */
export class ReplyReader {
  status = 0
  tokens = 0
  /** The end marker was seen. */
  ended = false
  /** The server closes the connection after this response. */
  closes = false

  readonly #markers: Markers
  readonly #endCountsAsToken: boolean
  readonly #tailLength: number
  #state: State = 'head'
  /** Bytes of the protocol that wait for the rest of their line. */
  #rest = ''
  /** The last characters of the body, where a marker may have begun. */
  #tail = ''
  #remaining = 0

  constructor(markers: Markers) {
    this.#markers = markers
    this.#endCountsAsToken = markers.end.includes(markers.token)
    this.#tailLength = Math.max(markers.token.length, markers.end.length)
  }

  /** Takes what the socket gave. Answers true when the response is complete. */
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

  /** The response has no length of its own, so that the end of the connection is its end. */
  get endsAtClose(): boolean {
    return this.#state === 'until close'
  }

  /** Takes a whole line, or the whole head, of the protocol. Answers where it stopped: in place, where more must come. */
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
      // A marker counts once the character after it is there, which says whether the token is empty.
      if (next >= seen && next < view.length && view.charCodeAt(next) !== QUOTE) this.tokens++
    }
    if (!this.ended && view.includes(end)) {
      this.ended = true
      if (this.#endCountsAsToken) this.tokens--
    }
    this.#tail = view.slice(-this.#tailLength)
  }
}

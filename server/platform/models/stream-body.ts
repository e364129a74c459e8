import type { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Data of an event that ends a reply in OpenAI's format. Some gateways add it to other formats, or encode it as JSON. */
const DONE = /^\s*(?:data:\s*)?(["']?)\[done\]\1\s*$/i
const DONE_CHARACTERS_MAX = 32

/** Returns whether an event is the end marker `[DONE]`, with or without spaces and quotation marks. */
export const isDone = (data: string): boolean => data.length <= DONE_CHARACTERS_MAX && DONE.test(data)

/** The form of a body. Proxies change the content type, so the body's beginning decides. */
type Form = 'events' | 'json' | 'unknown'

/** Characters that decide the form: the longest field name of an event stream and its colon. */
const BEGINNING_CHARACTERS = 6
const FIELD = /^(?::|(?:data|event|id|retry)(?::|[\r\n]))/
const BLANK = /^[\s\ufeff]+/

/**
 * Parses the body of a streamed reply: an event stream, or JSON from a server that ignores `stream`. A JSON array
 * contains one event per element.
 */
export class StreamBody {
  readonly #decoder = new StringDecoder('utf8')
  readonly #parser: ReturnType<typeof createParser>
  readonly #onEvent: (event: EventSourceMessage) => void
  readonly #isDeclared: boolean
  #form: Form | undefined
  #beginning = ''
  readonly #document: string[] = []

  /** `isDeclared` means that the content type is that of an event stream. */
  constructor(isDeclared: boolean, onEvent: (event: EventSourceMessage) => void) {
    this.#isDeclared = isDeclared
    this.#onEvent = onEvent
    this.#parser = createParser({ onEvent })
  }

  /** Returns false if the body is neither an event stream nor JSON. */
  feed(chunk: Buffer): boolean {
    const text = this.#decoder.write(chunk)
    if (this.#form === 'events') this.#parser.feed(text)
    else if (this.#form === 'json') this.#document.push(text)
    else return this.#begin(text, false)
    return true
  }

  /** Processes an event without the line breaks after it, or the JSON. Returns false like `feed`. */
  end(): boolean {
    const rest = this.#decoder.end()
    if (this.#form === undefined && !this.#begin(rest, true)) return false
    if (this.#form === 'events') this.#parser.feed(`${rest}\n\n`)
    else if (this.#form === 'json') this.#readDocument()
    return true
  }

  #begin(text: string, isEnd: boolean): boolean {
    const trimmed = (this.#beginning + text).replace(BLANK, '')
    this.#beginning = trimmed
    if (trimmed.length < BEGINNING_CHARACTERS && !isEnd && !/^[[{:<]/.test(trimmed)) return true
    this.#form = this.#formOf(trimmed)
    this.#beginning = ''
    if (this.#form === 'events') this.#parser.feed(trimmed)
    else if (this.#form === 'json') this.#document.push(trimmed)
    return this.#form !== 'unknown'
  }

  #formOf(beginning: string): Form {
    if (/^[[{]/.test(beginning)) return 'json'
    return beginning === '' || FIELD.test(beginning) || this.#isDeclared ? 'events' : 'unknown'
  }

  #readDocument(): void {
    const value: unknown = JSON.parse(this.#document.join(''))
    for (const part of Array.isArray(value) ? value : [value])
      this.#onEvent({ id: undefined, event: undefined, data: JSON.stringify(part) })
  }
}

/** Emits each block as soon as it arrives, and accepts a body without the end of its compression. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

/** Returns a stream that decompresses a body, or undefined for a body that is not compressed. */
export function decompressorFor(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(ZLIB)
    case 'deflate':
      return createInflate(ZLIB)
    case 'br':
      return createBrotliDecompress(BROTLI)
    case 'zstd':
      return createZstdDecompress()
    default:
      return undefined
  }
}

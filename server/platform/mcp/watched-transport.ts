import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  SSEClientTransport,
  type StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { type Call, currentCall } from './call.ts'
import { McpError } from './mcp-error.ts'
import type { ShownSecrets } from './shown-secrets.ts'

/** What a server may ask of us between one call and the next; beyond it, it gets no answer. */
const REQUESTS_OF_SERVER_MAX = 100

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/**
 * A transport of the SDK, where a request whose answer has ended without a result fails at once: the SDK waits for the
 * result until the time is over. And a result is handed on one turn of the event loop later than it comes, so that
 * what the server told before it is heard. Credentials of the connection are masked in every message.
 */
export class WatchedTransport implements Transport {
  readonly hasPerRequestStream: boolean
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport
  readonly #host: string
  #requestsOfServer = 0

  constructor(
    inner: StreamableHTTPClientTransport | SSEClientTransport,
    host: string,
    shown: Pick<ShownSecrets, 'hide'>,
  ) {
    this.#inner = inner
    // Results of an SSE server come on its one stream.
    this.hasPerRequestStream = !(inner instanceof SSEClientTransport)
    this.#host = host
    inner.onclose = () => this.onclose?.()
    inner.onerror = (error) => this.onerror?.(error)
    inner.onmessage = (said: JSONRPCMessage, extra?: MessageExtraInfo) => {
      const message = shown.hide(said)
      const isRequest = 'method' in message && 'id' in message
      if (isRequest && ++this.#requestsOfServer > REQUESTS_OF_SERVER_MAX) return
      if ('method' in message) return this.onmessage?.(message, extra)
      // An answer comes within the call that asked for it.
      const call = currentCall()
      if (call && call.awaited === message.id) call.awaited = null
      setImmediate(() => this.onmessage?.(message, extra))
    }
  }

  /** A call begins. */
  refill(): void {
    this.#requestsOfServer = 0
  }

  get sessionId(): string | undefined {
    return this.#inner instanceof SSEClientTransport ? undefined : this.#inner.sessionId
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const call = currentCall()
    if (this.#inner instanceof SSEClientTransport) return this.#inner.send(message)
    if (!call || !('method' in message) || !('id' in message)) return this.#inner.send(message, options)
    call.isStreaming = false
    call.awaited = message.id
    await this.#inner.send(message, { ...options, onRequestStreamEnd: () => this.#end(call, message.id) })
    if (!call.isStreaming) this.#end(call, message.id)
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version)
  }

  async terminateSession(): Promise<void> {
    if (!(this.#inner instanceof SSEClientTransport)) await this.#inner.terminateSession()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #end(call: Call, id: RequestId): void {
    if (call.awaited !== id) return
    call.fail(call.break ?? new McpError('protocol', sentence('mcp.no_result', { host: this.#host })))
  }
}

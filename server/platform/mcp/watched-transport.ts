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
import { roundForSdk, withIdAsReceived } from './exact-numbers.ts'
import { McpError } from './mcp-error.ts'
import type { ShownSecrets } from './shown-secrets.ts'

/** Maximum requests that a server may send between two calls. Further requests get no response. */
const REQUESTS_OF_SERVER_MAX = 100

const FIRST_WITH_RESULT_TYPES = '2026-07-28'

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/**
 * Wraps an SDK transport so that a request fails immediately if its response ends without a result. The SDK alone
 * would wait until the timeout.
 *
 * The transport delivers a result one event loop turn late, so that earlier notifications are handled first. It masks
 * the connection's credentials in every message, and completes results that lack their type.
 */
export class WatchedTransport implements Transport {
  readonly hasPerRequestStream: boolean
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly #inner: StreamableHTTPClientTransport | SSEClientTransport
  readonly #host: string
  #requestsOfServer = 0
  #hasResultTypes = false

  constructor(
    inner: StreamableHTTPClientTransport | SSEClientTransport,
    host: string,
    shown: Pick<ShownSecrets, 'hide'>,
  ) {
    this.#inner = inner
    // SSE servers send results on their single stream.
    this.hasPerRequestStream = !(inner instanceof SSEClientTransport)
    this.#host = host
    inner.onclose = () => this.onclose?.()
    inner.onerror = (error) => this.onerror?.(error)
    inner.onmessage = (received: JSONRPCMessage, extra?: MessageExtraInfo) => {
      const message = this.#withResultType(shown.hide(roundForSdk(received)))
      const isRequest = 'method' in message && 'id' in message
      if (isRequest && ++this.#requestsOfServer > REQUESTS_OF_SERVER_MAX) return
      if ('method' in message) return this.onmessage?.(message, extra)
      // A response arrives in the async context of the call that requested it.
      const call = currentCall()
      if (call && call.awaited === message.id) call.awaited = null
      setImmediate(() => this.onmessage?.(message, extra))
    }
  }

  /** Resets the limit on server requests. Called when a call begins. */
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
    if (this.#inner instanceof SSEClientTransport) return this.#inner.send(withIdAsReceived(message))
    if (!call || !('method' in message) || !('id' in message))
      return this.#inner.send(withIdAsReceived(message), options)
    call.isStreaming = false
    call.awaited = message.id
    await this.#inner.send(message, { ...options, onRequestStreamEnd: () => this.#end(call, message.id) })
    if (!call.isStreaming) this.#end(call, message.id)
  }

  setProtocolVersion(version: string): void {
    this.#hasResultTypes = version >= FIRST_WITH_RESULT_TYPES
    this.#inner.setProtocolVersion(version)
  }

  async terminateSession(): Promise<void> {
    if (!(this.#inner instanceof SSEClientTransport)) await this.#inner.terminateSession()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** A result without a type is complete (MCP spec, 2026-07-28; SEP-2322). The SDK would refuse it. */
  #withResultType(message: JSONRPCMessage): JSONRPCMessage {
    if (!this.#hasResultTypes || !('result' in message) || message.result['resultType'] !== undefined)
      return message
    return { ...message, result: { ...message.result, resultType: 'complete' } }
  }

  #end(call: Call, id: RequestId): void {
    if (call.awaited !== id) return
    call.fail(call.break ?? new McpError('protocol', sentence('mcp.no_result', { host: this.#host })))
  }
}

import { type FollowedEvent, type ReplyMedia, TextBuffer } from '@parley/client'
import type { ChatMessage, Citation, ToolCall } from '@parley/client/schemas'
import { failureText } from '../../ui/error-text.ts'
import type { Unsent } from './unsent.ts'

/** The received part of a reply. */
export interface ReplyState {
  text: string
  reasoning: string
  /**
   * The thinking time in milliseconds. Null if the model has not finished thinking or did not think, or if the reply
   * was resumed.
   */
  thoughtMs: number | null
  citations: Citation[]
  toolCalls: ToolCall[]
  media: ReplyMedia | null
  usage: ChatMessage['usage']
  /** Why the model ended the reply. Only meaningful after the end. */
  finishReason: ChatMessage['finish_reason']
  /** The reason for a failure, as a sentence for users. Null if the reply did not fail. */
  error: string | null
  hasEnded: boolean
  /** Whether the connection is lost and the client is reconnecting. */
  isLost: boolean
}

const NOTHING: ReplyState = {
  text: '',
  reasoning: '',
  thoughtMs: null,
  citations: [],
  toolCalls: [],
  media: null,
  usage: null,
  finishReason: 'stop',
  error: null,
  hasEnded: false,
  isLost: false,
}

/** A reply in progress. Subscribers receive new text at most every 50 ms. */
export class LiveReply {
  readonly key: string
  readonly organizationId: string
  /** Null until the server has created the chat. */
  chatId: string | null
  messageId: string | null
  userMessageId: string | null
  /** The message sent with the request. Null if the reply responds to a stored message. */
  readonly message: Unsent | null
  readonly modelId: string | null
  readonly agentId: string | null
  readonly begunAt = new Date().toISOString()
  readonly leaving = new AbortController()
  /** Resolves when the stored reply has replaced this one. Never rejects. */
  over: Promise<void> = Promise.resolve()
  #state: ReplyState = NOTHING
  #listeners = new Set<() => void>()
  #thinkingSince: number | null = null
  /**
   * Whether the reply was followed from its start. A resumed reply receives all earlier events at once, so its
   * thinking time is unknown.
   */
  readonly #isFromBegin: boolean
  readonly #text = new TextBuffer((text) => this.#change({ text }))
  readonly #reasoning = new TextBuffer((reasoning) => this.#change({ reasoning }))

  constructor(begin: {
    key: string
    organizationId: string
    chatId: string | null
    /** The id of a reply to resume. Omitted if the reply has not been requested yet. */
    messageId?: string
    userMessageId?: string | null
    message?: Unsent
    modelId?: string | null | undefined
    agentId?: string | null | undefined
  }) {
    this.key = begin.key
    this.messageId = begin.messageId ?? null
    this.#isFromBegin = this.messageId === null
    this.organizationId = begin.organizationId
    this.chatId = begin.chatId
    this.userMessageId = begin.userMessageId ?? null
    this.message = begin.message ?? null
    this.modelId = begin.modelId ?? null
    this.agentId = begin.agentId ?? null
  }

  readonly state = (): ReplyState => this.#state

  /** Whether the server has not accepted the message yet. */
  get isUnsent(): boolean {
    return this.messageId === null
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  take(event: FollowedEvent): void {
    switch (event.type) {
      case 'text':
        this.#endThinking()
        return this.#text.add(event.text)
      case 'reasoning':
        if (this.#isFromBegin) this.#thinkingSince ??= performance.now()
        return this.#reasoning.add(event.text)
      case 'citations':
        return this.#change({ citations: event.citations })
      case 'tool_started':
      case 'tool_finished':
        return this.#change({ toolCalls: withCall(this.#state.toolCalls, event.call) })
      case 'media':
        return this.#change({ media: event.media })
      case 'finish':
        return this.#change({ finishReason: event.reason })
      case 'usage':
        return this.#change({
          usage: {
            input_tokens: event.inputTokens,
            output_tokens: event.outputTokens,
            credits: event.credits ?? null,
          },
        })
      case 'connection':
        return this.#change({ isLost: event.isLost })
      case 'end':
        return this.end(event.error && failureText(event.error, event.errorCode, event.errorValues))
    }
  }

  end(error: string | null): void {
    this.#endThinking()
    this.#text.flush()
    this.#reasoning.flush()
    this.#change({ hasEnded: true, isLost: false, error })
  }

  #endThinking(): void {
    if (this.#thinkingSince === null || this.#state.thoughtMs !== null) return
    this.#reasoning.flush()
    this.#change({ thoughtMs: performance.now() - this.#thinkingSince })
  }

  #change(change: Partial<ReplyState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

const withCall = (calls: readonly ToolCall[], call: ToolCall): ToolCall[] =>
  calls.some(({ id }) => id === call.id)
    ? calls.map((one) => (one.id === call.id ? call : one))
    : [...calls, call]

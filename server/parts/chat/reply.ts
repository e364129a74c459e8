import { newId } from '#database/new-id.ts'
import type { ModelSink } from '#platform/models/types.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { NewReply, ReplyGrowth } from './reply-writes.ts'

/** Why a reply was told to stop: its user wanted it, or the server goes down. */
export type StopReason = 'user' | 'shutdown'

/**
 * A reply while it is written: what there is of it, and the log of its events.
 *
 * An event's id says how much of the reply is delivered with it: `<characters of reasoning>.<characters of
 * content>.<named events>`, and `.end` after the last one. So a stored reply can be resumed as well as a live one.
 */
export class Reply {
  readonly log = new EventLog()
  readonly ids: Pick<NewReply, 'hold_id' | 'chat_id' | 'message_id' | 'organization_id'>
  readonly entryId = newId()
  content = ''
  reasoning = ''
  stopReason: StopReason | undefined
  readonly #abort = new AbortController()
  #named = 0
  #stored = { content: 0, reasoning: 0 }

  constructor(ids: Reply['ids']) {
    this.ids = ids
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  stop(reason: StopReason): void {
    this.stopReason ??= reason
    this.#abort.abort()
  }

  /** Where the model writes to. */
  readonly sink: ModelSink = {
    text: (text) => this.#addText(text),
    reasoning: (text) => this.#addReasoning(text),
    // No tools are offered here, so there is nothing that a model could call.
    toolCall: () => {},
  }

  #addText(text: string): void {
    if (text === DONE) {
      for (const half of DONE_HALVES) this.#addText(half)
      return
    }
    this.content += text
    this.log.append(this.#id(), textEvent(text))
  }

  #addReasoning(text: string): void {
    if (text === DONE) {
      for (const half of DONE_HALVES) this.#addReasoning(half)
      return
    }
    this.reasoning += text
    this.log.append(this.#id(), reasoningEvent(text))
  }

  named(name: string, data: object): void {
    this.#named += 1
    this.log.append(this.#id(), JSON.stringify(data), name)
  }

  end(outcome: { error: string | null }): void {
    this.log.append(`${this.#id()}.end`, endEvent(outcome.error))
    this.log.end()
  }

  /** What came since the last call, or undefined where nothing did. */
  takeGrowth(): ReplyGrowth | undefined {
    const { content, reasoning } = this.#stored
    if (content === this.content.length && reasoning === this.reasoning.length) return undefined
    this.#stored = { content: this.content.length, reasoning: this.reasoning.length }
    return {
      message_id: this.ids.message_id,
      from_start: content + reasoning === 0,
      content: this.content.slice(content),
      reasoning: this.reasoning.slice(reasoning),
    }
  }

  /** The last growth was not stored, or nobody knows: the next one begins anew. */
  growthLost(): void {
    this.#stored = { content: 0, reasoning: 0 }
  }

  #id(): string {
    return `${this.reasoning.length}.${this.content.length}.${this.#named}`
  }
}

/** Only completion says DONE: a token of just that text is sent in two parts (contract, 5). */
const DONE = 'DONE'
const DONE_HALVES = ['DO', 'NE']
export const neverDone = (text: string): string[] => (text === DONE ? DONE_HALVES : [text])

export const textEvent = (message: string): string => `{"message":${JSON.stringify(message)}}`
export const reasoningEvent = (message: string): string =>
  `{"type":"reasoning","message":${JSON.stringify(message)}}`
export const endEvent = (error: string | null): string =>
  error === null ? '{"message":"DONE"}' : JSON.stringify({ error })

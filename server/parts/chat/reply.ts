import { newId } from '#database/new-id.ts'
import type { ModelSink } from '#platform/models/types.ts'
import { ReplyEvents } from './reply-events.ts'
import type { NewReply, ReplyGrowth } from './reply-writes.ts'

/** Why a reply was told to stop: its user wanted it, or the server goes down. */
export type StopReason = 'user' | 'shutdown'

/** A reply while it is written: what there is of it, what of it is stored, and how to stop it. */
export class Reply extends ReplyEvents {
  readonly ids: Pick<NewReply, 'hold_id' | 'chat_id' | 'message_id' | 'organization_id' | 'user_id'>
  readonly entryId = newId()
  stopReason: StopReason | undefined
  readonly #abort = new AbortController()
  #stored = { content: 0, reasoning: 0 }

  constructor(ids: Reply['ids']) {
    super()
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
    text: (text) => this.addText(text),
    reasoning: (text) => this.addReasoning(text),
    // No tools are offered here, so there is nothing that a model could call.
    toolCall: () => {},
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
      tool_calls: null,
    }
  }

  /** The last growth was not stored, or nobody knows: the next one begins anew. */
  growthLost(): void {
    this.#stored = { content: 0, reasoning: 0 }
  }
}

import { newId } from '#database/new-id.ts'
import { ReplyCalls } from '#platform/models/reply-calls.ts'
import type { ToolSink } from '#platform/models/tool-loop.ts'
import { ReplyEvents } from './reply-events.ts'
import type { NewReply, ReplyGrowth } from './reply-writes-system.ts'

export type StopReason = 'user' | 'shutdown'

/** A reply in progress. Collects its events, tracks what is stored, and can be stopped. */
export class Reply extends ReplyEvents {
  readonly ids: Pick<NewReply, 'hold_id' | 'chat_id' | 'message_id' | 'organization_id' | 'user_id'>
  readonly entryId = newId()
  readonly calls = new ReplyCalls((event) => this.addNamed('tool', event))
  /** Ids of the stored files in the results of tools. */
  readonly fileIds: string[] = []
  stopReason: StopReason | undefined
  readonly #abort = new AbortController()
  #stored = NOTHING_STORED

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

  /** Sink for the output of the model and its tools. */
  readonly sink: ToolSink = {
    text: (text) => this.addText(text),
    reasoning: (text) => this.addReasoning(text),
    // Clients see a tool call when its tool starts, not when the model requests it.
    toolCall: () => {},
    toolStarted: (call) => this.calls.begin(call),
    toolEnded: (call, outcome) => this.calls.end(call, outcome),
  }

  /** Returns the part added since the last call, or undefined if there is none. */
  takeGrowth(): ReplyGrowth | undefined {
    const { content, reasoning, calls } = this.#stored
    const now = { content: this.content.length, reasoning: this.reasoning.length, calls: this.calls.changes }
    if (content === now.content && reasoning === now.reasoning && calls === now.calls) return undefined
    this.#stored = now
    return {
      message_id: this.ids.message_id,
      from_start: content + reasoning === 0,
      content: this.content.slice(content),
      reasoning: this.reasoning.slice(reasoning),
      tool_calls: calls === now.calls ? null : this.calls.stored,
    }
  }

  /** Makes the next growth contain the whole reply. Called after a write that failed or may have failed. */
  growthLost(): void {
    this.#stored = NOTHING_STORED
  }
}

const NOTHING_STORED = { content: 0, reasoning: 0, calls: 0 }

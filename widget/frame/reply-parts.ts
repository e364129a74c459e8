import type { EventSourceMessage } from 'eventsource-parser'
import type { Reply } from './entries.ts'
import { WORDS } from './words.ts'

/** What has come of a reply, over all connections (specification, "Events"). */
export class ReplyParts {
  #text = ''
  #reasoning = ''
  lastEventId: string | null = null
  end: 'done' | 'failed' | null = null

  take({ id, data }: EventSourceMessage): void {
    this.lastEventId = id ?? this.lastEventId
    const { type, message = '', error } = JSON.parse(data) as Record<string, string | undefined>
    if (error !== undefined) this.end = 'failed'
    else if (type === 'reasoning') this.#reasoning += message
    else if (message === 'DONE') this.end = 'done'
    else this.#text += message
  }

  asReply(wasStopped: boolean): Partial<Reply> {
    const parts = { text: this.#text, reasoning: this.#reasoning }
    if (this.end === null) return { ...parts, status: 'streaming', problem: null }
    if (this.end === 'failed') return { ...parts, status: 'error', problem: WORDS.replyFailed }
    return { ...parts, status: wasStopped ? 'stopped' : 'complete', problem: null }
  }
}

import type { VisitorEvent } from '@parley/client/visitor'
import type { Reply } from './entries.ts'
import { t } from './text.ts'

/** Builds a reply from its events, across reconnects (specification, "Events"). */
export class ReplyParts {
  #text = ''
  #reasoning = ''
  #finishReason: Reply['finishReason'] = 'stop'
  #end: 'done' | 'failed' | null = null

  take(event: VisitorEvent): void {
    if (event.type === 'reasoning') this.#reasoning += event.text
    else if (event.type === 'text') this.#text += event.text
    else if (event.type === 'finish') this.#finishReason = event.reason
    else if (event.type === 'end') this.#end = event.error === null ? 'done' : 'failed'
  }

  asReply(wasStopped: boolean): Partial<Reply> {
    const parts = { text: this.#text, reasoning: this.#reasoning }
    if (this.#end === null) return { ...parts, status: 'streaming', problem: null }
    if (this.#end === 'failed') return { ...parts, status: 'error', problem: t('replyFailed') }
    const status = wasStopped ? 'stopped' : 'complete'
    return { ...parts, status, finishReason: this.#finishReason, problem: null }
  }
}

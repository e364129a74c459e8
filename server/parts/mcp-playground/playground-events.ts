import { randomUUID } from 'node:crypto'
import { errorFields, failureFields, type Reason } from '#errors'
import { ReplyCalls } from '#platform/models/reply-calls.ts'
import { EventLog } from '#platform/streams/event-log.ts'

/**
 * A message that is exactly `DONE` marks the end of a reply. Text that is exactly `DONE` is therefore sent in two
 * events.
 */
const DONE = 'DONE'
const DONE_HALVES = ['DO', 'NE']

/**
 * Streams a playground reply as events. The events are not stored, so a client cannot
 * resume the stream.
 */
export class PlaygroundEvents {
  readonly log = new EventLog()
  readonly calls = new ReplyCalls((tool) => this.#append({ message: '', tool }))
  readonly #id = randomUUID()
  #count = 0

  addText(text: string): void {
    for (const message of text === DONE ? DONE_HALVES : [text]) this.#append({ message, tool: null })
  }

  recommend(serverIds: readonly string[]): void {
    this.#append({ mcp: { server_ids: serverIds }, message: '' })
  }

  end(reason: Reason | null): void {
    this.calls.close()
    if (reason) this.#append(failureFields(reason), 'failure')
    this.#append(reason === null ? { message: DONE, tool: null } : errorFields(reason))
    this.log.end()
  }

  #append(data: object, name?: 'failure'): number {
    this.#count += 1
    this.log.append(`${this.#id}.${this.#count}`, JSON.stringify(data), name)
    return this.#count
  }
}

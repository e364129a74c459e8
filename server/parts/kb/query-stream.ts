import { randomUUID } from 'node:crypto'
import { EventLog } from '#platform/streams/event-log.ts'

/** The events of a streamed query. They are not stored, so clients cannot resume the stream. */
export class QueryStream {
  readonly log = new EventLog()
  readonly #id = randomUUID()
  #count = 0

  add(name: 'sources' | 'content' | 'end' | 'failure' | 'error', data: object): void {
    this.#count += 1
    this.log.append(`${this.#id}.${this.#count}`, JSON.stringify(data), name)
  }

  end(name: 'end' | 'error', data: object): void {
    this.add(name, data)
    this.log.end()
  }
}

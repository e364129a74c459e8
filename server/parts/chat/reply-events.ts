import { EventLog } from '#platform/streams/event-log.ts'

/** How much of a reply was delivered: characters of each kind, and events with a name. */
export interface Delivered {
  reasoning: string
  content: string
  named: number
}

const NOTHING: Delivered = { reasoning: '', content: '', named: 0 }

/** Only completion says DONE: a token of just that text is sent in two parts (contract, 5). */
export const DONE = 'DONE'
export const DONE_HALVES = ['DO', 'NE']

/**
 * A reply as events (spec, send_message stream), in a log that its readers follow: as it is written, or as far as it
 * was not delivered yet.
 *
 * An event's id says how much of the reply is delivered with it: `<characters of reasoning>.<characters of
 * content>.<named events>`, and `.end` after the last one. So a stored reply can be resumed as well as a live one.
 */
export class ReplyEvents {
  readonly log = new EventLog()
  reasoning: string
  content: string
  #named: number

  constructor(delivered: Delivered = NOTHING) {
    this.reasoning = delivered.reasoning
    this.content = delivered.content
    this.#named = delivered.named
  }

  addText(text: string): void {
    if (text === DONE) {
      for (const half of DONE_HALVES) this.addText(half)
      return
    }
    this.content += text
    this.log.append(this.#id(), `{"message":${JSON.stringify(text)}}`)
  }

  addReasoning(text: string): void {
    if (text === DONE) {
      for (const half of DONE_HALVES) this.addReasoning(half)
      return
    }
    this.reasoning += text
    this.log.append(this.#id(), `{"type":"reasoning","message":${JSON.stringify(text)}}`)
  }

  /** An event that plain clients never see. */
  addNamed(name: 'meta' | 'usage', data: object): void {
    this.#named += 1
    this.log.append(this.#id(), JSON.stringify(data), name)
  }

  end(error: string | null): void {
    this.log.append(`${this.#id()}.end`, error === null ? '{"message":"DONE"}' : JSON.stringify({ error }))
    this.log.end()
  }

  #id(): string {
    return `${this.reasoning.length}.${this.content.length}.${this.#named}`
  }
}

/** What an event id says: how many of each; undefined for what is no event id. */
export function parseEventId(
  id: string,
): { reasoning: number; content: number; named: number; ended: boolean } | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(\.end)?$/.exec(id)
  if (!match) return undefined
  const [reasoning = 0, content = 0, named = 0] = match.slice(1, 4).map(Number)
  return { reasoning, content, named, ended: match[4] !== undefined }
}

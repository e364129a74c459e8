import { errorFields, failureFields, type ShownReason } from '#errors'
import { EventLog } from '#platform/streams/event-log.ts'
import type { FINISH } from './finish-reason.ts'

/** The part of a reply that a client has received. `named` is the number of named events. */
export interface Delivered {
  reasoning: string
  content: string
  named: number
  /** Media progress in thousandths. Null before the first media event. */
  media: number | null
}

const NOTHING: Delivered = { reasoning: '', content: '', named: 0, media: null }

/** Progress of generating an image or video. */
export interface MediaEvent {
  type: 'image' | 'video'
  status: 'generating' | 'complete'
  /** Progress, from 0 to 1. */
  progress: number
  url?: string
  mime_type?: string
}

/** Progress of complete media, in thousandths. */
const MEDIA_COMPLETE = 1000

/**
 * A message that is exactly `DONE` marks the end of a reply. A token that is exactly `DONE` is therefore sent in two
 * events.
 */
export const DONE = 'DONE'
export const DONE_HALVES = ['DO', 'NE']

/**
 * Appends the events of a reply to a log. The log starts after the `delivered` part.
 *
 * An event's id states how much of the reply a client has after receiving the event: `<characters of
 * reasoning>.<characters of content>.<named events>`. For an image or video, `.<thousandths>` follows. The last
 * event's id ends with `.end`. Clients can therefore resume a stored reply like a live one.
 */
export class ReplyEvents {
  readonly log = new EventLog()
  reasoning: string
  content: string
  #named: number
  #media: number | null

  constructor(delivered: Delivered = NOTHING) {
    this.reasoning = delivered.reasoning
    this.content = delivered.content
    this.#named = delivered.named
    this.#media = delivered.media
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

  /**
   * Appends an event that only clients with `events=all` receive. Returns the number of named events so far, which
   * includes this one.
   */
  addNamed(name: 'meta' | 'citations' | 'tool' | typeof FINISH | 'usage' | 'failure', data: object): number {
    this.#named += 1
    this.log.append(this.#id(), JSON.stringify(data), name)
    return this.#named
  }

  /** Appends a media event if its progress increased. */
  addMedia(media: MediaEvent): void {
    const thousandths = Math.floor(media.progress * MEDIA_COMPLETE)
    if (this.#media !== null && thousandths <= this.#media) return
    this.#media = thousandths
    this.log.append(this.#id(), JSON.stringify({ media }))
  }

  /** Ends the log. Before an error, adds the event `failure` unless its client has already received that event. */
  end(reason: ShownReason | null, hasFailure = false): void {
    if (reason?.code !== undefined && !hasFailure) this.addNamed('failure', failureFields(reason))
    const data = reason === null ? '{"message":"DONE"}' : JSON.stringify(errorFields(reason))
    this.log.append(`${this.#id()}.end`, data)
    this.log.end()
  }

  #id(): string {
    const text = `${this.reasoning.length}.${this.content.length}.${this.#named}`
    return this.#media === null ? text : `${text}.${this.#media}`
  }
}

/** Returns the text that a log's events contain. `events` is text that ReplyEvents has written. */
export function textIn(events: string): Pick<Delivered, 'content' | 'reasoning'> {
  const text = { content: '', reasoning: '' }
  for (const event of events.split('\n\n')) {
    const [, id, data] = /^id: (\S+)\ndata: (.+)$/s.exec(event) ?? []
    if (id === undefined || data === undefined || id.endsWith('.end')) continue
    const { type, message = '' } = JSON.parse(data) as { type?: 'reasoning'; message?: string }
    text[type ?? 'content'] += message
  }
  return text
}

/** Parses an event id. Returns undefined if the id is invalid. */
export function parseEventId(
  id: string,
): { reasoning: number; content: number; named: number; media: number | null; ended: boolean } | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:\.(\d{1,4}))?(\.end)?$/.exec(id)
  if (!match) return undefined
  const [reasoning = 0, content = 0, named = 0] = match.slice(1, 4).map(Number)
  const media = match[4] === undefined ? null : Number(match[4])
  if (media !== null && media > MEDIA_COMPLETE) return undefined
  return { reasoning, content, named, media, ended: match[5] !== undefined }
}

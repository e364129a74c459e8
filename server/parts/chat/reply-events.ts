import { EventLog } from '#platform/streams/event-log.ts'

/** How much of a reply was delivered: characters of each kind, and events with a name. */
export interface Delivered {
  reasoning: string
  content: string
  named: number
  /** Thousandths of the image or video; null: none has been begun. */
  media: number | null
}

const NOTHING: Delivered = { reasoning: '', content: '', named: 0, media: null }

/** An image or a video on its way (contract, 4). */
export interface MediaEvent {
  type: 'image' | 'video'
  status: 'generating' | 'complete'
  /** 0 to 1. */
  progress: number
  url?: string
  mime_type?: string
}

/** Thousandths. */
const MEDIA_COMPLETE = 1000

/** Only completion says DONE: a token of just that text is sent in two parts (contract, 5). */
export const DONE = 'DONE'
export const DONE_HALVES = ['DO', 'NE']

/**
 * A reply as events (spec, send_message stream), in a log that its readers follow: as it is written, or as far as it
 * was not delivered yet.
 *
 * An event's id says how much of the reply is delivered with it: `<characters of reasoning>.<characters of
 * content>.<named events>`, then `.<thousandths of the image or video>` where there is one, and `.end` after the last
 * one. So a stored reply can be resumed as well as a live one.
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

  /** An event that plain clients never see. Answers which one of them it is, from 1 on. */
  addNamed(name: 'meta' | 'citations' | 'tool' | 'usage', data: object): number {
    this.#named += 1
    this.log.append(this.#id(), JSON.stringify(data), name)
    return this.#named
  }

  /** Progress that is none is not told. */
  addMedia(media: MediaEvent): void {
    const thousandths = Math.floor(media.progress * MEDIA_COMPLETE)
    if (this.#media !== null && thousandths <= this.#media) return
    this.#media = thousandths
    this.log.append(this.#id(), JSON.stringify({ media }))
  }

  end(error: string | null): void {
    this.log.append(`${this.#id()}.end`, error === null ? '{"message":"DONE"}' : JSON.stringify({ error }))
    this.log.end()
  }

  #id(): string {
    const text = `${this.reasoning.length}.${this.content.length}.${this.#named}`
    return this.#media === null ? text : `${text}.${this.#media}`
  }
}

/** What an event id says: how much of each; undefined for what is no event id. */
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

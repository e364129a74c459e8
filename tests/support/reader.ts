import { createParser } from 'eventsource-parser'
import type { Client, Person, StreamEvent } from './client.ts'
import { signUpWithModel } from './models.ts'
import type { EmulatedProvider } from './provider/index.ts'

/** Reads a stream event by event, so that a test can disconnect in the middle. */
export class StreamReader {
  readonly events: StreamEvent[] = []
  readonly status: number
  readonly headers: Headers
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #abort: AbortController
  readonly #queue: StreamEvent[] = []
  readonly #decoder = new TextDecoder()
  readonly #parser = createParser({
    onEvent: ({ id, event, data }) => this.#queue.push({ id, event, data: JSON.parse(data) }),
  })

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#reader = response.body?.getReader()
    this.#abort = abort
  }

  static async open(url: string, init: RequestInit): Promise<StreamReader> {
    const abort = new AbortController()
    return new StreamReader(await fetch(url, { ...init, signal: abort.signal }), abort)
  }

  /** Returns the next event. Returns undefined at the end of the stream. */
  async next(): Promise<StreamEvent | undefined> {
    while (this.#queue.length === 0) {
      const { value, done } = (await this.#reader?.read()) ?? { value: undefined, done: true }
      if (done) return undefined
      this.#parser.feed(this.#decoder.decode(value, { stream: true }))
    }
    const event = this.#queue.shift() as StreamEvent
    this.events.push(event)
    return event
  }

  /**
   * Reads until `count` events have been received in total, or until the end of the stream. Returns all received
   * events.
   */
  async take(count = Number.POSITIVE_INFINITY): Promise<StreamEvent[]> {
    while (this.events.length < count && (await this.next()) !== undefined);
    return this.events
  }

  /** Reads the whole body as text, for responses that aren't event streams. */
  async text(): Promise<string> {
    let text = ''
    for (;;) {
      const { value, done } = (await this.#reader?.read()) ?? { value: undefined, done: true }
      if (done) return text + this.#decoder.decode()
      text += this.#decoder.decode(value, { stream: true })
    }
  }

  /** Disconnects abruptly, as a closed browser tab does. */
  leave(): void {
    this.#abort.abort()
  }
}

export const openMessage = (
  url: string,
  person: Person,
  query: Record<string, string>,
  body: object,
  headers: Record<string, string> = {},
): Promise<StreamReader> =>
  StreamReader.open(
    `${url}/api/chat/send_message?${new URLSearchParams({ org_id: person.organizationId, ...query })}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    },
  )

/** Signs up a user, requests a reply that takes 20 s, and reads the first three events of the reply. */
export async function openLongReply(
  server: Client,
  provider: EmulatedProvider,
): Promise<{ person: Person; stream: StreamReader }> {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-n1000-gap20')
  const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
  await stream.take(3)
  return { person, stream }
}

/** Resumes the stream of a reply after an event id. */
export const resumeMessage = (
  url: string,
  person: Person,
  ids: { chatId: string; messageId: string },
  lastEventId?: string,
  events?: 'all',
): Promise<StreamReader> =>
  StreamReader.open(
    `${url}/api/chat/stream?${new URLSearchParams({ org_id: person.organizationId, chat_id: ids.chatId, message_id: ids.messageId, ...(events && { events }) })}`,
    {
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    },
  )

export const idsOf = ({ headers }: StreamReader) => ({
  chatId: headers.get('x-chat-id') ?? '',
  messageId: headers.get('x-message-id') ?? '',
})

/** Returns the text of a reply's events. Two streams of a reply may divide the same text differently. */
export const joinedText = (events: readonly StreamEvent[]): string =>
  events.map(({ data }) => data['message'] ?? '').join('')

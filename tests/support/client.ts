import { randomUUID } from 'node:crypto'
import { createParser } from 'eventsource-parser'

/** A user who has signed up and owns a personal organization. */
export interface Person {
  userId: string
  email: string
  password: string
  token: string
  refreshToken: string
  organizationId: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
export interface Answer<T = any> {
  status: number
  headers: Headers
  body: T
  text: string
}

/** A file to upload. */
export interface NewFile {
  name: string
  bytes: string | Uint8Array
  /** The content type that the client declares. */
  type?: string
}

/** One server-sent event, as received. */
export interface StreamEvent {
  id: string | undefined
  event: string | undefined
  data: Record<string, unknown>
}

export interface Client {
  url: string
  /** Sends a request. A body that isn't a string is sent as JSON. */
  call(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answer>
  signUp(): Promise<Person>
  /** Uploads a file as a browser does. Without `chatId`, the upload is for a chat that doesn't exist yet. */
  upload(person: Person, file: NewFile, chatId?: string): Promise<Answer>
  /** Adds a model that an emulated provider serves. Returns its id. */
  addModel(person: Person, model: Record<string, unknown>): Promise<string>
  /** Sends a message and reads the stream to its end. Throws the error message if the server rejects the message. */
  say(
    person: Person,
    query: Record<string, string>,
    body: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<{ chatId: string; messageId: string; events: StreamEvent[]; text: string }>
}

export function createClient(url: string): Client {
  const call: Client['call'] = async (method, path, options = {}) => {
    const { token, body, signal } = options
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
  return {
    url,
    call,
    async signUp() {
      const email = `${randomUUID()}@example.com`
      const password = 'correct horse battery'
      const { body } = await call('POST', '/api/auth/signup', {
        body: { email, password, first_name: 'Ada', last_name: 'Lovelace' },
      })
      const { user, access_token: token, refresh_token: refreshToken } = body
      return {
        userId: user.id,
        email,
        password,
        token,
        refreshToken,
        organizationId: user.organizations[0].id,
      }
    },
    async upload(person, { name, bytes, type = 'application/octet-stream' }, chatId) {
      const form = new FormData()
      form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name)
      const response = await fetch(`${url}${uploadPath(person, chatId)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}` },
        body: form,
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: parse(text) }
    },
    async addModel(person, model) {
      const answer = await call('POST', `/api/llm/add?org_id=${person.organizationId}`, {
        token: person.token,
        body: { name: 'Test model', ...model },
      })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.id
    },
    async say(person, query, body, headers = {}) {
      const parameters = new URLSearchParams({ org_id: person.organizationId, ...query })
      const answer = await call('POST', `/api/chat/send_message?${parameters}`, {
        token: person.token,
        body,
        headers,
      })
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
      const events = parseEvents(answer.text)
      return {
        chatId: answer.headers.get('x-chat-id') ?? '',
        messageId: answer.headers.get('x-message-id') ?? '',
        events,
        text: textOf(events),
      }
    },
  }
}

export const uploadPath = ({ organizationId }: Person, chatId?: string): string =>
  `/api/chat/upload_file?${new URLSearchParams({ org_id: organizationId, ...(chatId && { chat_id: chatId }) })}`

export function parseEvents(text: string): StreamEvent[] {
  const events: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) => events.push({ id, event, data: JSON.parse(data) }),
  })
  parser.feed(text)
  return events
}

/** Concatenates the text of all token events. */
export const textOf = (events: StreamEvent[]): string =>
  events
    .filter(
      ({ event, data }) => event === undefined && data['type'] === undefined && data['message'] !== 'DONE',
    )
    .map(({ data }) => data['message'] ?? '')
    .join('')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

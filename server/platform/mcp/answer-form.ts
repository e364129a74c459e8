import { qualityFor } from '../http/accept.ts'

const JSON_TYPE = 'application/json'
const EVENTS_TYPE = 'text/event-stream'

/** The form of a response: one JSON body, an event stream, or either as the SDK chooses. */
export type AnswerForm = 'json' | 'events' | 'either'

/**
 * Returns the form that Accept covers, or null if it covers none. The spec demands that clients list both types, but
 * many list one type, send a wildcard or omit the header. JSON is preferred where Accept does not name event streams,
 * because such clients rarely read streams.
 */
export function formFor(accept: string | null, isStream: boolean): AnswerForm | null {
  const header = accept?.trim() || '*/*'
  const takesJson = qualityFor(JSON_TYPE, header) > 0
  const takesEvents = qualityFor(EVENTS_TYPE, header) > 0
  // A subscription has no end, so it is always a stream.
  if (isStream) return takesEvents ? 'either' : null
  if (!takesJson) return takesEvents ? 'events' : null
  return takesEvents && header.toLowerCase().includes(EVENTS_TYPE) ? 'either' : 'json'
}

/**
 * Changes the request's Accept, because the SDK refuses requests that do not list both types. A copy of the request
 * would lose its signal once it is collected as garbage.
 */
export const acceptBoth = (request: Request): void =>
  request.headers.set('accept', `${JSON_TYPE}, ${EVENTS_TYPE}`)

/**
 * Returns the response in this form. As JSON, it has no notifications. `isBatch` makes the JSON a list. Errors of the
 * protocol itself, such as 405, are JSON in any form.
 */
export async function inForm(response: Response, form: AnswerForm, isBatch: boolean): Promise<Response> {
  const type = response.headers.get('content-type') ?? ''
  if (form === 'either' || !response.ok || response.body === null || type === '') return response
  const isEvents = type.startsWith(EVENTS_TYPE)
  if (isEvents === (form === 'events')) return response
  const text = await response.text()
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  headers.set('content-type', isEvents ? JSON_TYPE : EVENTS_TYPE)
  const { status } = response
  if (!isEvents) return new Response(`event: message\ndata: ${onOneLine(text)}\n\n`, { status, headers })
  const answers = messagesIn(text).filter(isAnswer)
  // A cancelled request gets no response.
  if (answers.length === 0) return new Response(null, { status: 202 })
  return new Response(isBatch ? `[${answers.join(',')}]` : answers.at(-1), { status, headers })
}

/** Line breaks within JSON are only between tokens, because strings escape them. */
const onOneLine = (json: string): string => json.replace(/[\r\n]+/g, ' ')

const messagesIn = (stream: string): string[] =>
  stream.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
    return data.length === 0 ? [] : [data.map((line) => line.slice('data:'.length).trimStart()).join('\n')]
  })

/** Skips notifications, requests, and events without data. */
function isAnswer(message: string): boolean {
  if (message === '') return false
  const { id, method } = JSON.parse(message) as { id?: unknown; method?: unknown }
  return id !== undefined && method === undefined
}

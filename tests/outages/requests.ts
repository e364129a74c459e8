import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseEvents } from '#tests/support/client.ts'
import { openMessage } from '#tests/support/reader.ts'
import type { Stage } from './stage.ts'

/** A response, as far as a user notices it. */
export interface Outcome {
  /** The status; for a stream that ends with an error, `stream error`. 0 if there was no response. */
  status: number | 'stream error'
  /** Milliseconds until the response's headers. */
  ms: number
  /** The fault of an error response. Undefined if it says what happened and when to retry. */
  fault?: string
  /** Reads back what the server acknowledged. Resolves to false if it is lost. */
  isKept?: () => Promise<boolean>
}

const ANSWER_MAX_MS = 20_000
const PICTURE = readFileSync('tests/fixtures/picture.png')

/** Requests that use one or several dependencies each. */
export const REQUESTS = {
  readyz: (stage: Stage) => send(stage, 'GET', '/readyz'),
  list: (stage: Stage) => send(stage, 'GET', `/api/chat/list?org_id=${stage.person.organizationId}`),
  login: ({ server, person: { email, password } }: Stage) =>
    measure(() => server.call('POST', '/api/auth/login', { body: { email, password }, signal: patience() })),
  create: createChat,
  message: (stage: Stage) => sendMessage(stage, stage.models.quick, { content: randomUUID() }),
  upload,
  image: async (stage: Stage) =>
    sendMessage(stage, stage.models.seeing, {
      content: randomUUID(),
      file_uploads: [await uploadedPicture(stage)],
    }),
  memory: (stage: Stage) =>
    send(stage, 'GET', `/api/mcp_playground/memory?org_id=${stage.person.organizationId}`),
  openai: (stage: Stage) =>
    send(stage, 'POST', '/openai/v1/chat/completions', {
      model: stage.models.quick,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
} satisfies Record<string, (stage: Stage) => Promise<Outcome>>

export type RequestName = keyof typeof REQUESTS

const patience = (): AbortSignal => AbortSignal.timeout(ANSWER_MAX_MS)

interface Received {
  status: number
  headers: Headers
  text: string
}

const send = ({ server, person: { token } }: Stage, method: string, path: string, body?: object) =>
  measure(() => server.call(method, path, { token, signal: patience(), ...(body && { body }) }))

async function measure(ask: () => Promise<Received>): Promise<Outcome> {
  const began = performance.now()
  const received = await ask().catch((error: unknown) => String(error))
  const ms = Math.round(performance.now() - began)
  if (typeof received === 'string') return { status: 0, ms, fault: received }
  return { status: received.status, ms, ...faultOf(received) }
}

/** Checks that an error response has a sentence and the header Retry-After. */
function faultOf({ status, headers, text }: Received): { fault?: string } {
  if (status < 400) return {}
  const body = JSON.parse(text)
  const words = body.detail ?? body.error?.message
  if (typeof words !== 'string' || !words.endsWith('.')) return { fault: `no sentence in ${text}` }
  if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) return { fault: `no Retry-After with ${text}` }
  return {}
}

/** Sends a message and reads its reply to the end. */
export async function sendMessage(
  stage: Stage,
  modelId: string,
  message: { content: string; file_uploads?: string[] },
): Promise<Outcome> {
  const { server, person } = stage
  const began = performance.now()
  try {
    const stream = await openMessage(server.url, person, { model_id: modelId }, message)
    const ms = Math.round(performance.now() - began)
    const { status, headers } = stream
    const text = await stream.text()
    if (status !== 200) return { status, ms, ...faultOf({ status, headers, text }) }
    const last = parseEvents(text).at(-1)?.data
    const chatId = headers.get('x-chat-id') ?? ''
    return {
      status: last?.['message'] === 'DONE' ? 200 : 'stream error',
      ms,
      ...(typeof last?.['error'] === 'string' || last?.['message'] === 'DONE'
        ? {}
        : { fault: `the stream ends with ${JSON.stringify(last)}` }),
      isKept: () => isMessageKept(stage, chatId, message.content),
    }
  } catch (error) {
    return { status: 0, ms: Math.round(performance.now() - began), fault: String(error) }
  }
}

async function isMessageKept({ server, person }: Stage, chatId: string, content: string): Promise<boolean> {
  const path = `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`
  const { body } = await server.call('GET', path, { token: person.token })
  const [question, reply] = body.messages
  return question.content === content && ['complete', 'error'].includes(reply.status)
}

/** Creates a chat with an idempotency key, as the console does. */
async function createChat({ server, person: { token, organizationId } }: Stage): Promise<Outcome> {
  const title = randomUUID()
  let id = ''
  const outcome = await measure(async () => {
    const headers = { 'idempotency-key': title }
    const options = { token, headers, body: { title }, signal: patience() }
    const answer = await server.call('POST', `/api/chat?org_id=${organizationId}`, options)
    id = answer.body?.id
    return answer
  })
  if (outcome.status !== 201) return outcome
  const path = `/api/chat?org_id=${organizationId}&chat_id=${id}`
  return { ...outcome, isKept: async () => (await server.call('GET', path, { token })).body.title === title }
}

async function upload({ server, person }: Stage): Promise<Outcome> {
  const bytes = Buffer.from(randomUUID())
  let url = ''
  const outcome = await measure(async () => {
    const answer = await server.upload(person, { name: 'note.txt', bytes })
    url = answer.body?.url
    return answer
  })
  if (outcome.status !== 201) return outcome
  return { ...outcome, isKept: async () => (await digestAt(url)) === digest(bytes) }
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const digestAt = async (url: string): Promise<string> =>
  digest(Buffer.from(await (await fetch(url)).arrayBuffer()))

const pictures = new WeakMap<Stage, Promise<string>>()

/** Returns the id of a picture, which is uploaded once while everything works. */
export function uploadedPicture(stage: Stage): Promise<string> {
  const uploaded =
    pictures.get(stage) ??
    stage.server
      .upload(stage.person, { name: 'picture.png', bytes: PICTURE })
      .then(({ body }) => body.id as string)
  pictures.set(stage, uploaded)
  return uploaded
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Client, Person, StreamEvent } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { idsOf, joinedText, openMessage, resumeMessage, type StreamReader } from '#tests/support/reader.ts'

/*
 * Users chat through a load balancer while one of the processes behind it is killed (kill -9) every few seconds. Each
 * user sends with an Idempotency-Key, retries until the request is acknowledged, and resumes a broken stream until it
 * ends.
 */

/** Time in which a request must succeed, and a stream must end, although processes die. */
const PATIENCE_MS = 90_000
const RETRY_MS = 200

export const ROLES = ['api', 'api', 'worker'] as const

/** Server processes, each on a port of its own that it keeps when it is restarted. */
export class Fleet {
  readonly ports: number[] = []
  readonly #environment: Record<string, string>
  readonly #processes: ServerProcess[] = []

  constructor(environment: Record<string, string>) {
    this.#environment = environment
  }

  async start(): Promise<void> {
    for (const [index] of ROLES.entries()) {
      this.ports.push(await findFreePort())
      await this.#startOne(index)
    }
  }

  /** Kills a process and starts it again. */
  async replace(index: number): Promise<void> {
    await this.#processes[index]?.kill()
    await this.#startOne(index)
  }

  async stop(): Promise<void> {
    for (const one of this.#processes) await one.kill()
  }

  async #startOne(index: number): Promise<void> {
    const ROLE = ROLES[index] as string
    this.#processes[index] = await startProcess({
      ...this.#environment,
      ROLE,
      PORT: String(this.ports[index]),
    })
  }
}

export interface Exchange {
  question: string
  chatId: string
  /** The text that the client received. */
  received: string
  /** True if the client had received more than the dead process had stored. It then reads the stored message. */
  isReloaded: boolean
}

/** Sends a message, and follows its reply to the end across killed processes. */
export async function converse(
  front: Client,
  person: Person,
  modelId: string,
  question: string,
): Promise<Exchange> {
  const key = { 'idempotency-key': randomUUID() }
  const first = await patiently(async () => {
    const stream = await openMessage(front.url, person, { model_id: modelId }, { content: question }, key)
    return stream.status === 200 ? stream : undefined
  })
  const ids = idsOf(first)
  const events: StreamEvent[] = []
  let isReloaded = false
  let unread: StreamReader | undefined = first
  await patiently(async () => {
    if (isEnd(events.at(-1))) return true
    // A stream that broke before its first event is not read again.
    const stream = unread ?? (await resumeMessage(front.url, person, ids, events.at(-1)?.id))
    unread = undefined
    isReloaded = stream.status === 400
    if (isReloaded || stream.status === 204) return true
    if (stream.status === 200) await readInto(events, stream)
    return isEnd(events.at(-1)) || undefined
  })
  return {
    question,
    chatId: ids.chatId,
    received: joinedText(events.filter((event) => !isEnd(event))),
    isReloaded,
  }
}

/** Creates a chat. Returns its id once the server has acknowledged it. */
export const createChat = (front: Client, person: Person): Promise<string> =>
  patiently(async () => {
    const path = `/api/chat?org_id=${person.organizationId}`
    const { status, body } = await front.call('POST', path, { token: person.token, body: { title: 'Kept' } })
    return status === 201 ? (body.id as string) : undefined
  })

/** Expects that a message and its reply are stored as the client has seen them. */
export async function checkExchange(front: Client, person: Person, exchange: Exchange): Promise<void> {
  const { question, chatId, received, isReloaded } = exchange
  const query = `org_id=${person.organizationId}&chat_id=${chatId}`
  const { body } = await front.call('GET', `/api/chat?${query}`, { token: person.token })
  const [message, reply, ...rest] = body.messages
  expect(rest).toEqual([])
  expect(message).toMatchObject({ role: 'user', content: question, status: 'complete' })
  expect(['complete', 'error']).toContain(reply.status)
  if (isReloaded) expect(received.startsWith(reply.content)).toBe(true)
  else expect(received).toBe(reply.content)
}

/** Runs `attempt` until it returns a value. A failed connection counts as an attempt without a value. */
async function patiently<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const result = await attempt().catch(() => undefined)
    if (result !== undefined) return result
    if (Date.now() > deadline) throw new Error(`no success within ${PATIENCE_MS} ms`)
    await sleep(RETRY_MS)
  }
}

/** Adds the events of a stream, including those before it breaks. */
async function readInto(events: StreamEvent[], stream: StreamReader): Promise<void> {
  for (;;) {
    const event = await stream.next()
    if (event === undefined) return
    events.push(event)
  }
}

const isEnd = (event: StreamEvent | undefined): boolean =>
  event !== undefined && (event.data['message'] === 'DONE' || 'error' in event.data)

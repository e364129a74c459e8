import Type from 'typebox'
import { BODY } from '#platform/http/body-limits.ts'
import type { MessageInput, SocketRoute } from '#platform/http/register-sockets.ts'
import { Enum } from '#platform/http/schemas.ts'
import { access, BODY_BYTES_MAX, query } from '../route-options.ts'
import type { Item } from './items.ts'
import { beginResponse, type ResponseDependencies } from './respond.ts'
import { ResponseRequest } from './schemas.ts'

const Create = Type.Object(
  { type: Enum(['response.create']), ...ResponseRequest.properties },
  { additionalProperties: true },
)

/**
 * Maximum size of the items that a connection remembers, in bytes of JSON text.
 * @limit items that a WebSocket remembers
 */
const MEMORY_BYTES_MAX = 20 * 1024 * 1024

/**
 * The WebSocket mode of Open Responses: each message `response.create` is a request for a response, whose events are
 * sent as JSON texts. https://platform.openai.com/docs/guides/websocket-mode
 */
export const responseSocket = (deps: ResponseDependencies): SocketRoute => ({
  url: '/openai/v1/responses',
  access,
  query,
  message: Create,
  limits: { ...BODY, bytes: BODY_BYTES_MAX },
  open() {
    const memory = new ConnectionMemory()
    return (input) => respondToMessage(deps, memory, input)
  },
})

/**
 * The latest response of a connection, if it is not stored. A client can continue it, as long as the connection lasts
 * and no attempt to continue it has failed.
 */
class ConnectionMemory {
  #last: { name: string; items: Item[] } | null = null

  /** Returns the items of a response and of those before it. Undefined if the connection does not remember it. */
  recall(name: string | null | undefined): Item[] | undefined {
    return this.#last?.name === name ? this.#last?.items : undefined
  }

  forget(): void {
    this.#last = null
  }

  keep(name: string, items: Item[]): void {
    const bytes = Buffer.byteLength(JSON.stringify(items))
    this.#last = bytes > MEMORY_BYTES_MAX ? null : { name, items }
  }
}

async function respondToMessage(
  deps: ResponseDependencies,
  memory: ConnectionMemory,
  { scope, deployment, message, send, disconnected }: MessageInput,
): Promise<void> {
  const { type: _type, ...body } = message as { type: string } & ResponseRequest
  const remembered = memory.recall(body.previous_response_id)
  if (remembered) memory.forget()
  const { ended } = await beginResponse(deps, { scope, deployment }, body, {
    emit: (event, number) => send({ ...event, sequence_number: number }),
    signal: disconnected,
    remembered,
  })
  const { view, failure, items } = await ended
  if (!failure && !view.store) memory.keep(view.id, items)
}

import { createParser } from 'eventsource-parser'
import type { Scope } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { FinishReason } from '#platform/models/types.ts'
import { EventLog, startOfLog } from '#platform/streams/event-log.ts'
import { FINISH } from '../chat/index.ts'
import { type ConversationDependencies, findSession } from './manage-conversations.ts'
import type { NewChatMessage } from './schemas.ts'

/** Stores a message, and streams the reply of the session's model. */
export async function streamChat(
  { chats }: ConversationDependencies,
  scope: Scope<'conversation:write'>,
  { chat_session_id: sessionId, message }: NewChatMessage,
  { idempotencyKey, named }: { idempotencyKey: string | undefined; named: boolean },
): Promise<EventStream> {
  const session = await findSession(scope, sessionId)
  const to = { conversationId: session.conversation_id, sessionId, modelId: session.model_id }
  const reply = await chats.send(scope, to, message, idempotencyKey)
  return { log: translate(reply.log, sessionId, named), named: true, headers: reply.headers ?? {} }
}

type Usage = { input_tokens: number; output_tokens: number }

/** Converts the events of a chat reply into events of a conversation as they arrive. */
function translate(reply: EventLog, sessionId: string, named: boolean): EventLog {
  const log = new EventLog()
  let messageId = ''
  let usage: Usage | null = null
  // A reply that ends for another reason sends an event about it.
  let finishReason: FinishReason | null = 'stop'

  const parser = createParser({
    onEvent({ event, id = '', data }) {
      const said = JSON.parse(data)
      if (event === 'meta') {
        messageId = said.message_id
        log.append(id, JSON.stringify({ message_id: messageId, chat_session_id: sessionId }), 'start')
      } else if (event === 'usage') {
        usage = { input_tokens: said.input_tokens, output_tokens: said.output_tokens }
      } else if (event === FINISH) {
        finishReason = said.finish_reason
      } else if (event === 'failure') {
        if (named) log.append(id, data, event)
      } else if ('error' in said) {
        log.append(id, data, 'error')
      } else if (said.message === 'DONE') {
        const end = { message_id: messageId, finish_reason: finishReason, usage }
        log.append(id, JSON.stringify(end), 'end')
      } else if (said.type === undefined && said.message !== undefined) {
        log.append(id, JSON.stringify({ content: said.message }), 'content')
      }
    },
  })
  const position = startOfLog()
  const pump = (): void => {
    for (let piece = reply.read(position, true); piece !== undefined; piece = reply.read(position, true))
      parser.feed(piece)
    if (!reply.ended) return
    unfollow()
    log.end()
  }
  const unfollow = reply.follow(pump)
  pump()
  return log
}

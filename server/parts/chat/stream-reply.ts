import { and, desc, eq } from '#database/drizzle.ts'
import { chatMessages } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import { endEvent, neverDone, reasoningEvent, textEvent } from './reply.ts'
import type { MessageRow } from './schemas.ts'
import type { ChatDesk } from './send-message.ts'

interface Wanted {
  chatId: string
  /** Absent: the newest reply of the chat. */
  messageId: string | undefined
  lastEventId: string | undefined
  named: boolean
}

/**
 * A reply as a stream, from after the event that was delivered last: live while it is written, else from storage.
 * Null where everything was delivered. The chat must be the caller's; a reply that is not in it is not found.
 */
export async function streamReply(
  { replies, shared }: Pick<ChatDesk, 'replies' | 'shared'>,
  scope: Scope<'chats:read'> | Scope<'chats:write'>,
  wanted: Wanted,
): Promise<EventStream | null> {
  // A reply may end between the look at the database and the look at what is live: then the database knows its end.
  for (const isLastLook of [false, true]) {
    const message = await findReply(scope, wanted)
    if (message.status !== 'streaming') return fromStorage(message, wanted)
    const log = replies.get(message.id)?.log ?? (await shared?.open(message.id))
    if (log) return { log, afterId: wanted.lastEventId, named: wanted.named, headers: headersOf(message) }
    if (isLastLook) break
  }
  throw fail('chat.elsewhere')
}

async function findReply(
  scope: Scope<'chats:read'> | Scope<'chats:write'>,
  { chatId, messageId }: Wanted,
): Promise<MessageRow> {
  const [message] = await scope.select(chatMessages, {
    where: and(
      eq(chatMessages.chatId, chatId),
      eq(chatMessages.role, 'assistant'),
      messageId === undefined ? undefined : eq(chatMessages.id, messageId),
    ),
    orderBy: [desc(chatMessages.id)],
    limit: 1,
  })
  if (!message) throw fail('chat.message_not_found')
  return message
}

const headersOf = (message: MessageRow) => ({ 'X-Chat-Id': message.chatId, 'X-Message-Id': message.id })

/** Events that are named come twice a reply: meta when it begins, usage when it is paid. */
const NAMED_META = 1
const NAMED_USAGE = 2

function fromStorage(message: MessageRow, { lastEventId, named }: Wanted): EventStream | null {
  const delivered = parseEventId(lastEventId, message)
  if (delivered.ended) return null
  const log = new EventLog()
  let { reasoning, content, events } = delivered
  const stored = { reasoning: message.reasoning ?? '', content: message.content }
  const id = () => `${reasoning}.${content}.${events}`
  if (events < NAMED_META) {
    events = NAMED_META
    log.append(
      id(),
      JSON.stringify({
        chat_id: message.chatId,
        user_message_id: message.parentMessageId,
        message_id: message.id,
      }),
      'meta',
    )
  }
  for (const part of neverDone(stored.reasoning.slice(reasoning)).filter(Boolean)) {
    reasoning += part.length
    log.append(id(), reasoningEvent(part))
  }
  for (const part of neverDone(stored.content.slice(content)).filter(Boolean)) {
    content += part.length
    log.append(id(), textEvent(part))
  }
  if (events < NAMED_USAGE && message.inputTokens !== null) {
    events = NAMED_USAGE
    log.append(
      id(),
      JSON.stringify({ input_tokens: message.inputTokens, output_tokens: message.outputTokens }),
      'usage',
    )
  }
  log.append(`${id()}.end`, endEvent(message.error))
  log.end()
  return { log, named, headers: headersOf(message) }
}

/** What an event id says was delivered (see Reply). Throws where this reply can't have given it. */
function parseEventId(
  eventId: string | undefined,
  message: MessageRow,
): { reasoning: number; content: number; events: number; ended: boolean } {
  if (eventId === undefined) return { reasoning: 0, content: 0, events: 0, ended: false }
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(\.end)?$/.exec(eventId)
  const [reasoning = 0, content = 0, events = 0] = (match ?? []).slice(1, 4).map(Number)
  if (!match || reasoning > (message.reasoning?.length ?? 0) || content > message.content.length)
    throw fail('request.invalid', { reason: 'Last-Event-ID is not an id of this stream' })
  return { reasoning, content, events, ended: match[4] !== undefined }
}

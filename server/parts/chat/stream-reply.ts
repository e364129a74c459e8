import { and, desc, eq } from '#database/drizzle.ts'
import { chatMessages } from '#database/schema/chat.ts'
import { fail, sentence } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { NamedEvents } from '#platform/streams/event-log.ts'
import type { ChatDependencies } from './dependencies.ts'
import { finishEventOf } from './finish-reason.ts'
import { isAmongNewest } from './read-branch.ts'
import { type Delivered, parseEventId, ReplyEvents } from './reply-events.ts'
import type { ChatReader, MessageRow } from './schemas.ts'
import { toolEventsOf } from './tool-calls.ts'
import { viewMessages } from './view-files.ts'

interface ReplyStreamQuery {
  chatId: string
  /** Id of the reply. If undefined, the newest reply of the chat is streamed. */
  messageId: string | undefined
  lastEventId: string | undefined
  named: NamedEvents
}

/**
 * Streams the part of a reply that follows the last delivered event: live while the reply is written, otherwise from
 * storage. Returns null if everything was delivered. The caller must have checked access to the chat. Throws
 * chat.message_not_found if the chat has no such reply, and chat.elsewhere if a process without shared logs writes
 * it.
 */
export async function streamReply(
  { replies, shared, storage }: Pick<ChatDependencies, 'replies' | 'shared' | 'storage'>,
  scope: ChatReader,
  query: ReplyStreamQuery,
): Promise<EventStream | null> {
  // Tries twice. If the reply ends between the two look-ups of the first attempt, the second attempt reads its final
  // state.
  for (const isLastLook of [false, true]) {
    const message = await findReply(scope, query)
    if (message.status !== 'streaming') return fromStorage(storage, scope, message, query)
    const own = replies.get(message.id)?.log
    const log = own ?? (await shared?.open(message.id))
    const { lastEventId: afterId, named } = query
    if (log) return { log, afterId, named, headers: headersOf(message), isElsewhere: own === undefined }
    if (isLastLook) break
  }
  throw fail('chat.elsewhere')
}

async function findReply(scope: ChatReader, { chatId, messageId }: ReplyStreamQuery): Promise<MessageRow> {
  const [message] = await scope.select(chatMessages, {
    where: and(
      eq(chatMessages.chatId, chatId),
      eq(chatMessages.role, 'assistant'),
      messageId === undefined ? isAmongNewest(scope, chatId) : eq(chatMessages.id, messageId),
    ),
    orderBy: [desc(chatMessages.id)],
    limit: 1,
  })
  if (!message)
    throw fail(
      'chat.message_not_found',
      messageId === undefined ? { field: 'chat_id', value: chatId } : { value: messageId },
    )
  return message
}

const headersOf = (message: MessageRow) => ({ 'X-Chat-Id': message.chatId, 'X-Message-Id': message.id })

async function fromStorage(
  storage: Storage,
  scope: ChatReader,
  message: MessageRow,
  { lastEventId, named }: ReplyStreamQuery,
): Promise<EventStream | null> {
  const delivered = deliveredOf(message, lastEventId)
  if (delivered === null) return null
  const events = new ReplyEvents(delivered)
  const begin = namedEventsOf(message)
  for (const [name, data] of begin.slice(delivered.named)) events.addNamed(name, data)
  const reasoning = (message.reasoning ?? '').slice(delivered.reasoning.length)
  if (reasoning !== '') events.addReasoning(reasoning)
  const content = message.content.slice(delivered.content.length)
  if (content !== '') events.addText(content)
  const [view] = await viewMessages(storage, scope, [message])
  for (const one of view?.media ?? []) events.addMedia({ ...one, status: 'complete', progress: 1 })
  const ending = endingEventsOf(message)
  for (const [name, data] of ending.slice(Math.max(0, delivered.named - begin.length)))
    events.addNamed(name, data)
  const hasFailure = delivered.named > begin.length + ending.length
  events.end(message.error === null ? null : { message: message.error, ...message.failure }, hasFailure)
  return { log: events.log, named, headers: headersOf(message) }
}

/** Returns the named events of a reply in order, except those at its end. */
const namedEventsOf = ({ id, chatId, parentMessageId, citations, toolCalls }: MessageRow): NamedEvent[] => [
  ['meta', { chat_id: chatId, user_message_id: parentMessageId, message_id: id }],
  ...(citations ? [['citations', { citations }] satisfies NamedEvent] : []),
  ...toolEventsOf(toolCalls ?? []).map((event): NamedEvent => ['tool', event]),
]

/** Returns the named events at the end of a reply, in the order in which write-reply.ts sends them. */
const endingEventsOf = ({
  error,
  finishReason,
  inputTokens,
  outputTokens,
  credits,
}: MessageRow): NamedEvent[] => [
  ...(error === null ? finishEventOf(finishReason) : []),
  ...(inputTokens === null
    ? []
    : [['usage', { input_tokens: inputTokens, output_tokens: outputTokens, credits }] satisfies NamedEvent]),
]

type NamedEvent = Parameters<ReplyEvents['addNamed']>

/**
 * Returns the part of a stored reply that the event id shows as delivered, or null if everything was delivered.
 * Throws request.invalid if this reply cannot have sent the id.
 */
function deliveredOf(message: MessageRow, eventId: string | undefined): Delivered | null {
  const stored = { reasoning: message.reasoning ?? '', content: message.content }
  const id = parseEventId(eventId ?? '0.0.0')
  if (!id || id.reasoning > stored.reasoning.length || id.content > stored.content.length)
    throw fail('request.invalid', { reason: sentence('request.last_event_id') })
  if (id.ended) return null
  return {
    reasoning: stored.reasoning.slice(0, id.reasoning),
    content: stored.content.slice(0, id.content),
    named: id.named,
    media: id.media,
  }
}

import { type AcceptedEvent, type FollowedEvent, ParleyError, randomKey } from '@parley/client'
import type { ChatMessage } from '@parley/client/schemas'
import { useSyncExternalStore } from 'react'
import { BoundedMap } from '../../api/bounded-map.ts'
import { api } from '../../api/client.ts'
import { outdate, queryClient } from '../../api/queries.ts'
import { session } from '../../api/session.ts'
import { readChat } from './chat-data.ts'
import { LiveReply, type Question } from './live-reply.ts'

/** Who answers and how. */
export interface Answering {
  model_id?: string | undefined
  agent_id?: string | undefined
  instruction_id?: string | undefined
  temperature?: number | undefined
  max_tokens?: number | undefined
  thinking?: boolean | undefined
  knowledge_base_ids?: string[] | undefined
}

interface Sending {
  organizationId: string
  chatId: string | null
  question: Question
  /** It stands beside what is there, instead of after it. */
  isFork: boolean
  answering: Answering
  /** The message was not taken: it is to be given back. */
  onRefused: (error: Error) => void
  onAccepted: (chatId: string) => void
}

/** How long a reply that has ended for its reader may still be under way for the server, which then reads on. */
const SETTLE_MS = 2_000
const SETTLE_TRIES_MAX = 5
const CHANNEL = 'parley.chats'

/** Far more than are followed at the same time. */
const LIVES_MAX = 20
/** What is remembered of messages is lost beyond this, and they are drawn once again. */
const REMEMBERED_MAX = 1_000

const lives = new Map<string, LiveReply>()
const listeners = new Set<() => void>()
/** Of messages and chats that were shown before they had an id: what they are known by where they are drawn. */
const aliases = new BoundedMap<string, string>(REMEMBERED_MAX)
/** How long each has thought: what only those know who have looked on. */
const thoughts = new BoundedMap<string, number | null>(REMEMBERED_MAX)

// The next user of this browser has chats of their own.
session.subscribe(() => {
  if (!session.isSignedIn()) for (const live of [...lives.values()]) leave(live)
})

/** Other tabs of this browser read a chat again when a reply begins in it. */
const channel = new BroadcastChannel(CHANNEL)
channel.onmessage = () => void outdate(queryClient, 'GET /api/chat', 'GET /api/chat/list')

/** Where a new chat of an organization is before it is one. */
const newChatOf = (organizationId: string): string => `new ${organizationId}`
const placeOf = (organizationId: string, chatId: string | null): string => chatId ?? newChatOf(organizationId)

/** The reply that is being written in a chat (null: in a new one). */
export const useLive = (organizationId: string, chatId: string | null): LiveReply | null =>
  useSyncExternalStore(subscribe, () => lives.get(placeOf(organizationId, chatId)) ?? null)

export const keyOf = (id: string): string => aliases.get(id) ?? id
export const thoughtMsOf = (messageId: string): number | null => thoughts.get(messageId) ?? null

/** Sends a message and follows its reply, whoever looks on. */
export function send(sending: Sending): void {
  const { organizationId, chatId, question, answering } = sending
  const live = new LiveReply({
    key: randomKey(),
    organizationId,
    chatId,
    question,
    modelId: answering.model_id,
    agentId: answering.agent_id,
  })
  const events = api.follow('POST /api/chat/send_message', {
    query: { ...queryOf(organizationId, answering), ...(chatId !== null && { chat_id: chatId }) },
    body: {
      content: question.content,
      file_uploads: question.uploads.map(({ id }) => id),
      // Otherwise it follows what is the newest when it comes.
      ...(sending.isFork && { parent_message_id: question.parentId }),
      ...bodyOf(answering),
    },
    signal: live.leaving.signal,
  })
  start(live, events, sending)
}

/** Has a message answered anew. */
export function regenerate(
  { organizationId, chatId, onRefused }: Pick<Sending, 'organizationId' | 'onRefused'> & { chatId: string },
  userMessageId: string,
  answering: Answering,
): void {
  const live = new LiveReply({
    key: randomKey(),
    organizationId,
    chatId,
    userMessageId,
    modelId: answering.model_id,
    agentId: answering.agent_id,
  })
  const events = api.follow('POST /api/chat/regenerate', {
    query: { ...queryOf(organizationId, answering), chat_id: chatId, message_id: userMessageId },
    body: bodyOf(answering),
    signal: live.leaving.signal,
  })
  start(live, events, { onRefused, onAccepted() {} })
}

/** Follows a reply that is under way, as after a reload of the page. */
export function resume(organizationId: string, message: ChatMessage): void {
  if (lives.has(message.chat_id)) return
  const live = new LiveReply({
    key: randomKey(),
    organizationId,
    chatId: message.chat_id,
    messageId: message.id,
    userMessageId: message.parent_message_id,
    modelId: message.model_id,
    agentId: message.agent_id,
  })
  const reply = { organizationId, chatId: message.chat_id, messageId: message.id }
  start(live, api.resume(reply, { signal: live.leaving.signal }), { onRefused() {}, onAccepted() {} })
}

/** Lets go of replies in other chats: they go on without us. A browser has few connections. */
export function leaveOthers(organizationId: string, chatId: string | null): void {
  const kept = placeOf(organizationId, chatId)
  for (const [place, live] of lives)
    if (place !== kept && live.messageId !== null) {
      leave(live)
      void outdate(queryClient, 'GET /api/chat')
    }
}

/** Follows a reply no more. The server goes on writing it. */
function leave(live: LiveReply): void {
  live.leaving.abort()
  remove(live)
}

function start(
  live: LiveReply,
  events: AsyncGenerator<AcceptedEvent | FollowedEvent, void>,
  told: Pick<Sending, 'onRefused' | 'onAccepted'>,
): void {
  lives.set(placeOf(live.organizationId, live.chatId), live)
  const [oldest] = lives.values()
  if (lives.size > LIVES_MAX && oldest) leave(oldest)
  tell()
  void follow(live, events, told)
}

async function follow(
  live: LiveReply,
  events: AsyncGenerator<AcceptedEvent | FollowedEvent, void>,
  { onRefused, onAccepted }: Pick<Sending, 'onRefused' | 'onAccepted'>,
): Promise<void> {
  try {
    for await (const event of events) {
      if (event.type === 'accepted') accept(live, event, onAccepted)
      else if (event.type === 'meta') name(live, event.userMessageId)
      else live.take(event)
    }
    if (!live.leaving.signal.aborted) await settle(live)
  } catch (error) {
    if (live.messageId === null) {
      remove(live)
      return onRefused(shownError(error))
    }
    // It was taken, and can't be followed: what is stored tells.
    live.end(isUnreachable(error) ? 'The connection was lost. Reload the page to see the rest.' : null)
    await settle(live)
  }
}

function accept(
  live: LiveReply,
  { chatId, messageId }: { chatId: string; messageId: string },
  onAccepted: (chatId: string) => void,
): void {
  const isNew = live.chatId === null
  lives.delete(placeOf(live.organizationId, live.chatId))
  live.chatId = chatId
  live.messageId = messageId
  aliases.set(messageId, `${live.key} reply`)
  if (isNew) aliases.set(chatId, live.key)
  lives.set(chatId, live)
  tell()
  onAccepted(chatId)
  if (isNew) void outdate(queryClient, 'GET /api/chat/list')
  channel.postMessage(chatId)
}

function name(live: LiveReply, userMessageId: string | null): void {
  if (live.userMessageId !== null || userMessageId === null) return
  live.userMessageId = userMessageId
  aliases.set(userMessageId, `${live.key} question`)
  tell()
}

/** Puts what is stored in the place of what was followed. */
async function settle(live: LiveReply): Promise<void> {
  const { organizationId, chatId, messageId } = live
  if (chatId === null || messageId === null) return remove(live)
  thoughts.set(messageId, live.state().thoughtMs)
  for (let tries = 0; tries < SETTLE_TRIES_MAX; tries++) {
    const options = readChat({ org_id: organizationId, chat_id: chatId })
    const data = await queryClient.fetchQuery({ ...options, staleTime: 0 }).catch(() => null)
    const stored = data?.messages.find(({ id }) => id === messageId)
    if (stored && stored.status !== 'streaming') break
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  }
  remove(live)
}

function remove(live: LiveReply): void {
  for (const [place, one] of lives) if (one === live) lives.delete(place)
  tell()
}

const queryOf = (org_id: string, answering: Answering) => {
  const { model_id, agent_id, instruction_id, temperature, max_tokens } = answering
  return { org_id, model_id, agent_id, instruction_id, temperature, max_tokens }
}

const bodyOf = ({ thinking, knowledge_base_ids }: Answering) => ({
  ...(thinking && { thinking }),
  ...(knowledge_base_ids && knowledge_base_ids.length > 0 && { knowledge_base_ids }),
})

const isUnreachable = (error: unknown): boolean => error instanceof ParleyError && error.status === 0

/** The sentence for a message that was not taken. */
function shownError(error: unknown): Error {
  if (!(error instanceof ParleyError)) return error instanceof Error ? error : new Error(String(error))
  const { status, code, retryAfterMs, message } = error
  if (isUnreachable(error))
    return new ParleyError('The server cannot be reached. The message was not sent.', { status, code })
  if (status !== 429 || retryAfterMs === null || message.includes('Try again in')) return error
  const detail = `${message} Try again in ${retryAfterMs / 1000} seconds.`
  return new ParleyError(detail, { status, code, cause: error })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}

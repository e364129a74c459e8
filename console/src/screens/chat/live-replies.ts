import { useSyncExternalStore } from 'react'
import { ApiError, authorizedFetch } from '../../api/call.ts'
import type { ChatMessage, Upload } from '../../api/operations.ts'
import { outdate, queryClient } from '../../api/queries.ts'
import { randomKey } from '../../api/random-key.ts'
import {
  type FollowedEvent,
  ReplyRefused,
  ReplyUnreachable,
  resumeReply,
  type Send,
  sendAndFollow,
} from '../../streams/follow-reply.ts'
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

const lives = new Map<string, LiveReply>()
const listeners = new Set<() => void>()
/** Of messages and chats that were shown before they had an id: what they are known by where they are drawn. */
const aliases = new Map<string, string>()
/** How long each has thought: what only those know who have looked on. */
const thoughts = new Map<string, number | null>()

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
  const body = {
    content: question.content,
    file_uploads: question.uploads.map(({ id }: Upload) => id),
    // Otherwise it follows what is the newest when it comes.
    ...(sending.isFork && { parent_message_id: question.parentId }),
    ...bodyOf(answering),
  }
  const query = { ...queryOf(organizationId, answering), ...(chatId !== null && { chat_id: chatId }) }
  start(live, sendAndFollow(sendOf, requestOf('send_message', query, body), live.leaving.signal), sending)
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
  const query = { ...queryOf(organizationId, answering), chat_id: chatId, message_id: userMessageId }
  const request = requestOf('regenerate', query, bodyOf(answering))
  start(live, sendAndFollow(sendOf, request, live.leaving.signal), { onRefused, onAccepted() {} })
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
  start(live, resumeReply(sendOf, reply, live.leaving.signal), { onRefused() {}, onAccepted() {} })
}

/** Lets go of replies in other chats: they go on without us. A browser has few connections. */
export function leaveOthers(organizationId: string, chatId: string | null): void {
  const kept = placeOf(organizationId, chatId)
  for (const [place, live] of lives)
    if (place !== kept && live.messageId !== null) {
      live.leaving.abort()
      remove(live)
      void outdate(queryClient, 'GET /api/chat')
    }
}

function start(
  live: LiveReply,
  events: AsyncGenerator<FollowedEvent, void>,
  told: Pick<Sending, 'onRefused' | 'onAccepted'>,
): void {
  lives.set(placeOf(live.organizationId, live.chatId), live)
  tell()
  void follow(live, events, told)
}

async function follow(
  live: LiveReply,
  events: AsyncGenerator<FollowedEvent, void>,
  { onRefused, onAccepted }: Pick<Sending, 'onRefused' | 'onAccepted'>,
): Promise<void> {
  try {
    for await (const event of events) {
      if (event.kind === 'accepted') accept(live, event, onAccepted)
      else if (event.kind === 'meta') name(live, event.userMessageId)
      else live.take(event)
    }
    if (!live.leaving.signal.aborted) await settle(live)
  } catch (error) {
    if (live.messageId === null) {
      remove(live)
      return onRefused(shownError(error))
    }
    // It was taken, and can't be followed: what is stored tells.
    live.end(
      error instanceof ReplyUnreachable ? 'The connection was lost. Reload the page to see the rest.' : null,
    )
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

/** As `follow-reply` wants it: what did not get through is a TypeError. */
const sendOf: Send = async (path, init) => {
  try {
    return await authorizedFetch(path, init)
  } catch (error) {
    throw error instanceof ApiError && error.status === 0 ? new TypeError(error.message) : error
  }
}

const requestOf = (
  operation: 'send_message' | 'regenerate',
  query: Record<string, string>,
  body: object,
) => ({ operation, query, body, idempotencyKey: randomKey() })

function queryOf(organizationId: string, answering: Answering): Record<string, string> {
  const { model_id, agent_id, instruction_id, temperature, max_tokens } = answering
  const given = { org_id: organizationId, model_id, agent_id, instruction_id, temperature, max_tokens }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))
}

const bodyOf = ({ thinking, knowledge_base_ids }: Answering) => ({
  ...(thinking && { thinking }),
  ...(knowledge_base_ids && knowledge_base_ids.length > 0 && { knowledge_base_ids }),
})

/** A refusal as the rest of the console knows refusals. */
function shownError(error: unknown): Error {
  if (error instanceof ReplyRefused) {
    const seconds = error.retryAfterSeconds
    const wait = error.status === 429 && seconds ? ` Try again in ${seconds} seconds.` : ''
    const detail = error.message.includes('Try again in') ? error.message : error.message + wait
    return new ApiError(detail, error.status, error.code ?? 'unknown')
  }
  if (error instanceof ReplyUnreachable)
    return new ApiError('The server cannot be reached. The message was not sent.', 0, 'network')
  return error instanceof Error ? error : new Error(String(error))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(): void {
  for (const listener of listeners) listener()
}

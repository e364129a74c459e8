import { type AcceptedEvent, type FollowedEvent, randomKey, waitForRetry } from '@parley/client'
import type { ChatMessage } from '@parley/client/schemas'
import { useSyncExternalStore } from 'react'
import { BoundedMap } from '../../api/bounded-map.ts'
import { api } from '../../api/client.ts'
import { Listeners } from '../../api/listeners.ts'
import { outdate, queryClient } from '../../api/queries.ts'
import { session } from '../../api/session.ts'
import { translator } from '../../messages/index.ts'
import { readChat } from './chat-data.ts'
import { LiveReply } from './live-reply.ts'
import { isUnreachable } from './refusal-text.ts'
import { type Answering, forgetUnsent, keepUnsent, type Unsent } from './unsent.ts'

const t = translator('chat')

type LiveEvents = AsyncGenerator<AcceptedEvent | FollowedEvent, void>

interface Callbacks {
  /** Called if the server refused the message. */
  onRefused: (error: Error) => void
  onAccepted: (chatId: string) => void
}

/** Wait between two reads of a reply whose stream has ended, until the server has stored the complete reply. */
const SETTLE_MS = 2_000
const SETTLE_TRIES_MAX = 5
/** Wait before a message is posted again, in addition to the retries of the client. */
const RETRY_MS = 5_000
const CHANNEL = 'parley.chats'

/** Maximum number of replies to follow. If there are more, the oldest one is no longer followed. */
const LIVES_MAX = 20
/** Maximum number of stored keys. A message whose key is evicted gets a new React key and is mounted again. */
const REMEMBERED_MAX = 1_000

const lives = new Map<string, LiveReply>()
const listeners = new Listeners()
/** Maps ids of messages and chats to the React keys under which they rendered before they had ids. */
const aliases = new BoundedMap<string, string>(REMEMBERED_MAX)
/** The thinking time of each reply that this page followed. The server does not store thinking times. */
const thoughts = new BoundedMap<string, number | null>(REMEMBERED_MAX)

// After sign-out, stop following all replies, so that the browser's next user cannot see them.
session.subscribe(() => {
  if (!session.isSignedIn()) for (const live of [...lives.values()]) leave(live)
})

/** Notifies this browser's other tabs when a reply starts. The other tabs then refetch their chats. */
const channel = new BroadcastChannel(CHANNEL)
channel.onmessage = () => void outdate(queryClient, 'GET /api/chat', 'GET /api/chat/list')

/** Returns the key of a new chat, which has no id yet. */
const newChatOf = (organizationId: string): string => `new ${organizationId}`
const placeOf = (organizationId: string, chatId: string | null): string => chatId ?? newChatOf(organizationId)

/** Returns a chat's reply in progress, or null if there is none. A null `chatId` stands for the new chat. */
export const useLive = (organizationId: string, chatId: string | null): LiveReply | null =>
  useSyncExternalStore(listeners.subscribe, () => lives.get(placeOf(organizationId, chatId)) ?? null)

export const isLive = (organizationId: string, chatId: string | null): boolean =>
  lives.has(placeOf(organizationId, chatId))

export const keyOf = (id: string): string => aliases.get(id) ?? id
export const thoughtMsOf = (messageId: string): number | null => thoughts.get(messageId) ?? null

/**
 * Sends a message and follows its reply, even while no component shows the chat. While the server cannot be reached,
 * keeps the message and tries again.
 */
export function send(message: Unsent, callbacks: Callbacks): void {
  const { key, organizationId, chatId, question, isFork, answering } = message
  const live = new LiveReply({
    key,
    organizationId,
    chatId,
    message,
    modelId: answering.model_id,
    agentId: answering.agent_id,
  })
  keepUnsent(message)
  const post = () =>
    api.follow('POST /api/chat/send_message', {
      query: { ...queryOf(organizationId, answering), ...(chatId !== null && { chat_id: chatId }) },
      body: {
        content: question.content,
        file_uploads: question.uploads.map(({ id }) => id),
        // Without `parent_message_id`, the message follows the newest message.
        ...(isFork && { parent_message_id: question.parentId }),
        ...bodyOf(answering),
      },
      idempotencyKey: key,
      signal: live.leaving.signal,
    })
  start(live, untilAnswered(live, post), callbacks)
}

/** Posts a message until a response arrives. */
async function* untilAnswered(live: LiveReply, post: () => LiveEvents): LiveEvents {
  const { signal } = live.leaving
  while (!signal.aborted)
    try {
      return yield* post()
    } catch (error) {
      if (live.messageId !== null || !isUnreachable(error)) throw error
      yield { type: 'connection', isLost: true }
      await waitForRetry(RETRY_MS, signal)
    }
}

/** Cancels a reply that the server has not accepted. */
export function takeBack(live: LiveReply): void {
  forgetUnsent(live.key)
  leave(live)
}

/** Requests another reply to a user message. */
export function regenerate(
  {
    organizationId,
    chatId,
    onRefused,
  }: {
    organizationId: string
    chatId: string
    onRefused: Callbacks['onRefused']
  },
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

/** Follows a reply that is already in progress on the server, for example after a page reload. */
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

/**
 * Stops following the replies of all other chats, because browsers limit the number of connections. The server
 * continues those replies.
 */
export function leaveOthers(organizationId: string, chatId: string | null): void {
  const kept = placeOf(organizationId, chatId)
  for (const [place, live] of lives)
    if (place !== kept && live.messageId !== null) {
      leave(live)
      void outdate(queryClient, 'GET /api/chat')
    }
}

/** Stops following a reply. The server continues the reply. */
function leave(live: LiveReply): void {
  live.leaving.abort()
  remove(live)
}

function start(live: LiveReply, events: LiveEvents, callbacks: Callbacks): void {
  lives.set(placeOf(live.organizationId, live.chatId), live)
  const [oldest] = lives.values()
  if (lives.size > LIVES_MAX && oldest) leave(oldest)
  listeners.notify()
  live.over = follow(live, events, callbacks)
}

async function follow(
  live: LiveReply,
  events: LiveEvents,
  { onRefused, onAccepted }: Callbacks,
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
      forgetUnsent(live.key)
      return onRefused(error as Error)
    }
    // The server has accepted the message. Show the stored reply in place of this incomplete one.
    live.end(isUnreachable(error) ? t('errors.lost') : null)
    await settle(live)
  }
}

function accept(
  live: LiveReply,
  { chatId, messageId }: { chatId: string; messageId: string },
  onAccepted: (chatId: string) => void,
): void {
  const isNew = live.chatId === null
  forgetUnsent(live.key)
  lives.delete(placeOf(live.organizationId, live.chatId))
  live.chatId = chatId
  live.messageId = messageId
  aliases.set(messageId, `${live.key} reply`)
  if (isNew) aliases.set(chatId, live.key)
  lives.set(chatId, live)
  listeners.notify()
  onAccepted(chatId)
  if (isNew) void outdate(queryClient, 'GET /api/chat/list')
  channel.postMessage(chatId)
}

function name(live: LiveReply, userMessageId: string | null): void {
  if (live.userMessageId !== null || userMessageId === null) return
  live.userMessageId = userMessageId
  aliases.set(userMessageId, `${live.key} question`)
  listeners.notify()
}

/** Reads the stored reply and then removes the live reply, so that the stored reply is shown. */
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
  listeners.notify()
}

const queryOf = (org_id: string, answering: Answering) => {
  const { model_id, agent_id, instruction_id, temperature, max_tokens } = answering
  return { org_id, model_id, agent_id, instruction_id, temperature, max_tokens }
}

const bodyOf = ({ thinking, knowledge_base_ids }: Answering) => ({
  ...(thinking && { thinking }),
  ...(knowledge_base_ids && knowledge_base_ids.length > 0 && { knowledge_base_ids }),
})

import { createHash } from 'node:crypto'
import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { replyKeys } from '#database/schema/chat.ts'
import { instructions } from '#database/schema/instructions.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { SharedLogs } from '#platform/streams/shared-logs.ts'
import type { ModelFinder, PaidCalls, ResolvedModel } from '../llm/index.ts'
import { findPlace, type Place, type Question } from './find-place.ts'
import { readHistory } from './history.ts'
import type { LiveReplies } from './live-replies.ts'
import { type ChatKind, DEFAULT_TITLE, findChat } from './manage-chats.ts'
import { Reply } from './reply.ts'
import type { NewReply, ReplyWrites, Start } from './reply-writes.ts'
import type { ChatRow, ChatWriter, NewMessage, RegenerateQuery, SendQuery } from './schemas.ts'
import { streamReply } from './stream-reply.ts'

/** What the chat part works with; made once (index.ts). */
export interface ChatDesk {
  writes: ReplyWrites
  replies: LiveReplies
  models: ModelFinder
  calls: PaidCalls
  /** Where replies that other processes write can be followed; null without Redis. */
  shared: SharedLogs | null
}

/** How often a message is tried anew because the chat went on while its history was read. */
const ATTEMPTS_MAX = 3

/** Stores the user's message and has it answered (spec, send_message; contract, 5). */
export const sendMessage = (
  desk: ChatDesk,
  scope: ChatWriter,
  query: SendQuery,
  message: NewMessage,
  idempotencyKey: string | undefined,
): Promise<EventStream> => answer(desk, scope, query, message, idempotencyKey)

/** The same in a conversation, which is known by its chat. */
export const sendInConversation = (
  desk: ChatDesk,
  scope: Scope<'conversation:write'>,
  query: SendQuery & { chat_id: string },
  content: string,
): Promise<EventStream> => answer(desk, scope, query, { content }, undefined, 'conversation')

/** Has a message answered anew, beside the answers that it has: by the chat's model where none is named. */
export async function regenerate(
  desk: ChatDesk,
  scope: ChatWriter,
  { message_id: messageId, ...query }: RegenerateQuery,
  { thinking }: { thinking?: boolean },
  idempotencyKey: string | undefined,
): Promise<EventStream> {
  const { modelId } = await findChat(scope, query.chat_id)
  const target =
    query.model_id === undefined && query.agent_id === undefined && modelId ? { model_id: modelId } : {}
  const question = { again: messageId, ...(thinking !== undefined && { thinking }) }
  return answer(desk, scope, { ...query, ...target }, question, idempotencyKey)
}

/**
 * Reserves the credit of a reply and has the model write it. Everything that can be refused is refused before the
 * stream begins. The reply goes on when its reader leaves.
 */
async function answer(
  desk: ChatDesk,
  scope: ChatWriter,
  query: SendQuery,
  question: Question,
  idempotencyKey: string | undefined,
  kind: ChatKind = 'chat',
): Promise<EventStream> {
  const target = targetOf(query)
  const requestHash = idempotencyKey === undefined ? null : hashRequest(query, question)
  if (idempotencyKey !== undefined) {
    const before = await repeatOf(desk, scope, query, idempotencyKey, requestHash)
    if (before) return before
  }
  const model = await desk.models.find(scope.organizationId, target)
  const system = await findInstruction(scope, query.instruction_id)

  for (let attempt = 1; ; attempt++) {
    const chat = query.chat_id === undefined ? null : await findChat(scope, query.chat_id, kind)
    const place = await findPlace(scope, chat, question)
    const thinking = question.thinking === true
    const { request, leftOut } = await prepareRequest(scope, { query, place, thinking, chat, model, system })
    const written = newReply(scope, chat, place, {
      model_id: model.id,
      input_ratio: model.inputRatio,
      output_ratio: model.outputRatio,
      idempotency_key: idempotencyKey ?? null,
      request_hash: requestHash,
    })
    const start = await desk.writes.start(written)
    if (start === 'moved' && attempt < ATTEMPTS_MAX) continue
    if (start === 'repeated' && idempotencyKey !== undefined) {
      const before = await repeatOf(desk, scope, query, idempotencyKey, requestHash)
      if (before) return before
    }
    if (start !== 'started') throw refusal(start)

    const reply = new Reply(written)
    reply.addNamed('meta', {
      chat_id: written.chat_id,
      user_message_id: written.user_message_id,
      message_id: written.message_id,
      history: { sent: request.messages.length - 1, left_out: leftOut },
    })
    desk.replies.write(reply, model, request)
    return {
      log: reply.log,
      named: query.events === 'all',
      headers: { 'X-Chat-Id': written.chat_id, 'X-Message-Id': written.message_id },
    }
  }
}

/** The id of the model that is asked for. Agents are not built yet, so an agent's id is of none that there is. */
function targetOf(query: SendQuery): string {
  if (query.model_id !== undefined && query.agent_id !== undefined)
    throw fail('request.invalid', { reason: 'Give either model_id or agent_id, not both' })
  if (query.agent_id !== undefined) throw fail('agent.not_found')
  if (query.model_id === undefined) throw fail('chat.no_target')
  return query.model_id
}

const hashRequest = (query: SendQuery, question: Question): string =>
  createHash('sha256')
    .update(JSON.stringify([query, question]))
    .digest('base64url')

async function findInstruction(
  scope: ChatWriter,
  instructionId: string | undefined,
): Promise<string | undefined> {
  if (instructionId === undefined) return undefined
  const [row] = await scope.select(instructions, { where: eq(instructions.id, instructionId) })
  if (!row) throw fail('instruction.not_found')
  return row.content
}

/** A query parameter beats the session's setting, and that one the model's default. */
async function prepareRequest(
  scope: ChatWriter,
  given: {
    query: SendQuery
    place: Place
    thinking: boolean
    chat: ChatRow | null
    model: ResolvedModel
    system: string | undefined
  },
): Promise<{ request: ModelRequest; leftOut: number }> {
  const { query, place, thinking, chat, model, system } = given
  const settings = chat?.settings ?? {}
  const temperature = query.temperature ?? settings.temperature
  const topP = query.top_p ?? settings.top_p
  const maxTokens = query.max_tokens ?? settings.max_tokens
  const history = chat
    ? await readHistory(scope, chat.id, place.parentId, {
        newText: (system ?? '') + place.content,
        window: { contextWindow: model.contextWindow, maxTokens },
      })
    : { messages: [], leftOut: 0 }
  return {
    leftOut: history.leftOut,
    request: {
      messages: [...history.messages, { role: 'user', content: place.content }],
      ...(system !== undefined && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(thinking && { thinking: true }),
    },
  }
}

function newReply(
  scope: ChatWriter,
  chat: ChatRow | null,
  place: Place,
  rest: Pick<NewReply, 'model_id' | 'input_ratio' | 'output_ratio' | 'idempotency_key' | 'request_hash'>,
): NewReply {
  return {
    ...rest,
    hold_id: newId(),
    organization_id: scope.organizationId,
    user_id: scope.userId,
    chat_id: chat?.id ?? newId(),
    new_chat: chat === null,
    title: DEFAULT_TITLE,
    expected_leaf_id: chat?.leafMessageId ?? null,
    parent_message_id: place.parentId,
    user_message_id: place.userMessageId,
    new_user_message: place.isNewMessage,
    content: place.content,
    message_id: newId(),
  }
}

function refusal(start: Exclude<Start, 'started'>) {
  switch (start) {
    case 'no credits':
      return fail('billing.insufficient_credits')
    case 'no chat':
      return fail('chat.not_found')
    case 'repeated':
      return fail('request.idempotency_reused')
    default:
      return fail('chat.busy')
  }
}

/** The reply that an Idempotency-Key stands for, from its beginning. Throws when the key came with another request. */
async function repeatOf(
  desk: ChatDesk,
  scope: ChatWriter,
  query: SendQuery,
  key: string,
  requestHash: string | null,
): Promise<EventStream | undefined> {
  const [known] = await scope.select(replyKeys, { where: eq(replyKeys.key, key) })
  if (!known) return undefined
  if (known.requestHash !== requestHash) throw fail('request.idempotency_reused')
  return (
    (await streamReply(desk, scope, {
      chatId: known.chatId,
      messageId: known.messageId,
      lastEventId: undefined,
      named: query.events === 'all',
    })) ?? undefined
  )
}

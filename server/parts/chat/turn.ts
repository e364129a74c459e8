import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { instructions } from '#database/schema/instructions.ts'
import { type AppError, fail, sentence } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { newHold, type Payer } from '#platform/ledger/ledger.ts'
import { refusalOf } from '#platform/ledger/refusals.ts'
import { withDailyMessage } from '#platform/limits/daily-messages.ts'
import type { ModelRequest } from '#platform/models/types.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import type { NamedEvents } from '#platform/streams/event-log.ts'
import { findTarget, payerOf, type Sender, type Target, type TargetId } from '../agents/index.ts'
import { findUploads } from './attachments.ts'
import type { OpenChat } from './chat-finder-system.ts'
import type { ChatDependencies } from './dependencies.ts'
import { checkVisitor, hideModelError, isVisitor, refuseDeleted } from './deployment-rules.ts'
import { findReplyPosition, type Question } from './find-reply-position.ts'
import { type PromptHistory, prepareRequest } from './prepare-request.ts'
import { type RepeatKey, repeatKeyOf, repeatOf } from './repeats.ts'
import { Reply } from './reply.ts'
import type { NewReply, Start } from './reply-writes-system.ts'
import type { ChatWriter, SendQuery } from './schemas.ts'
import { DEFAULT_TITLE } from './titles.ts'
import { expectedReply, kindOf } from './write-media.ts'

/*
 * A turn is a message and its reply. It has four steps: admit, prepare, start, stream. Each step extends the result of
 * the previous one. Results are plain values without secrets or functions. The scope, model and agent are passed
 * separately, and the turn contains the ids to find them again.
 */

/** A message as a client sends it. */
export interface OutgoingMessage {
  query: SendQuery
  question: Question
  /** Session of a conversation that receives the reply. Null outside conversations. */
  sessionId: string | null
  idempotencyKey: string | undefined
  /** The named events that the sender receives. */
  named: NamedEvents
}

export interface Turn extends Pick<OutgoingMessage, 'query' | 'question' | 'sessionId' | 'named'> {
  targetId: TargetId
  /** Identifies repeats of the message. Null without an Idempotency-Key. */
  repeatKey: RepeatKey | null
}

export interface AdmittedTurn extends Turn {
  payer: Payer
  /** The deployment's visitor who sends the message. Null for a member or the deployment's key. */
  visitorId: string | null
  /** Content of the saved instruction that the query names. */
  instruction: string | undefined
}

export interface PreparedTurn extends AdmittedTurn {
  request: ModelRequest
  history: PromptHistory
  /** Attachments of a new message. Empty if a stored message is answered again. */
  files: UploadRow[]
  /** The rows that `start` writes: hold, chat, message and reply. */
  reply: NewReply
  /** True if a title is generated after this reply. */
  needsTitle: boolean
}

/** Maximum number of attempts to prepare and start a turn. An attempt fails if another message advances the chat. */
const ATTEMPTS_MAX = 3

/**
 * Stores a message and streams its reply. Errors are thrown before the stream begins. The server completes the reply
 * even if the client disconnects. A repeat with the same Idempotency-Key gets the reply of the first request. Throws
 * ANSWER_ERRORS (routes.ts), deployment.daily_limit, request.idempotency_reused, conversation.session_busy.
 */
export async function takeTurn(
  deps: ChatDependencies,
  sender: Sender,
  message: OutgoingMessage,
): Promise<EventStream> {
  const turn = readTurn(message)
  const { repeatKey } = turn
  const earlier = repeatKey && (await repeatOf(deps, sender.scope, turn.named, repeatKey))
  if (earlier) return earlier
  return withDailyMessage(sender.deployment, async (dailyMessage) => {
    // The chat is found while the target is. An error of the target comes first.
    let chat = findChat(deps, sender, turn)
    chat.catch(() => {})
    const { admitted, target } = await admit(deps, sender, turn)
    for (let attempt = 1; ; attempt++) {
      const prepared = await prepare(deps, sender, target, admitted, await chat)
      const outcome = await start(deps, sender, target, prepared)
      if (outcome === 'started') return stream(deps, sender, target, prepared)
      if (outcome === 'moved' && attempt < ATTEMPTS_MAX) {
        chat = findChat(deps, sender, turn)
        continue
      }
      // A concurrent request with the same Idempotency-Key has started the reply.
      const first =
        outcome === 'repeated' && repeatKey && (await repeatOf(deps, sender.scope, turn.named, repeatKey))
      if (!first) throw refusal(outcome, turn)
      await dailyMessage.release()
      return first
    }
  })
}

const readTurn = ({ query, question, sessionId, idempotencyKey, named }: OutgoingMessage): Turn => ({
  query,
  named,
  question,
  sessionId,
  targetId: targetIdOf(query),
  repeatKey: idempotencyKey === undefined ? null : repeatKeyOf(idempotencyKey, query, question),
})

/**
 * Finds the target, the payer and the instruction. Throws the errors of `findTarget`, llm.cannot_chat,
 * instruction.not_found.
 */
async function admit(
  deps: ChatDependencies,
  { scope, deployment }: Sender,
  turn: Turn,
): Promise<{ admitted: AdmittedTurn; target: Target }> {
  const target = await findTarget(deps, scope, turn.targetId).catch(hideModelError(deployment))
  const kind = kindOf(target.model)
  // Conversations accept only text models.
  if (kind === undefined || (kind !== 'text' && turn.sessionId !== null)) throw fail('llm.cannot_chat')
  const payer = payerOf(scope, target.agent, deployment)
  const instruction = await findInstruction(scope, turn.query.instruction_id)
  return { admitted: { ...turn, payer, visitorId: deployment?.visitorId ?? null, instruction }, target }
}

/** Finds the chat of a turn. Returns null for a new chat. Throws chat.not_found. */
async function findChat(
  deps: ChatDependencies,
  { scope, deployment }: Sender,
  { query, sessionId }: Turn,
): Promise<OpenChat | null> {
  if (query.chat_id === undefined) return null
  const chat = await deps.findOpenChat(scope, query.chat_id, sessionId === null ? 'chat' : 'conversation')
  checkVisitor(deployment, chat)
  return chat
}

/**
 * Finds the reply's position in its chat and builds the model request. Throws upload.not_found, and the errors of
 * `checkQuota`, `findReplyPosition` and `prepareRequest`.
 */
async function prepare(
  deps: ChatDependencies,
  { scope, deployment }: Sender,
  target: Target,
  turn: AdmittedTurn,
  chat: OpenChat | null,
): Promise<PreparedTurn> {
  const { question, sessionId, repeatKey, visitorId } = turn
  const position = await findReplyPosition(scope, chat, question)
  const files = await findUploads(scope, position.isNewMessage ? (position.uploadIds ?? []) : [])
  await deps.uploads.checkQuota(scope.organizationId, chat?.id ?? null, files)
  const prepared = await prepareRequest(deps, scope, target, { ...turn, chat, position })
  const chatId = chat?.id ?? newId()
  const reply = {
    ...newHold({ ...turn.payer, chatId }, target.model),
    user_id: scope.userId,
    chat_id: chatId,
    session_id: sessionId,
    new_chat: chat === null,
    title: DEFAULT_TITLE,
    expected_leaf_id: chat?.leafMessageId ?? null,
    parent_message_id: prepared.parentId,
    user_message_id: position.userMessageId,
    new_user_message: position.isNewMessage,
    content: position.content,
    upload_ids: position.uploadIds,
    message_id: newId(),
    citations: prepared.citations.length > 0 ? prepared.citations : null,
    visitor_id: visitorId,
    idempotency_key: repeatKey?.key ?? null,
    request_hash: repeatKey?.requestHash ?? null,
  }
  const isUntitled = chat === null || (!chat.isConversation && chat.title === DEFAULT_TITLE)
  const { request, history } = prepared
  return { ...turn, request, history, files, reply, needsTitle: isUntitled && deployment === null }
}

/**
 * Takes the hold and writes the chat, message and empty reply in one statement. Writes nothing unless the outcome is
 * `started`.
 */
const start = (
  deps: ChatDependencies,
  { deployment }: Sender,
  { model }: Target,
  { reply, request }: PreparedTurn,
): Promise<Start> =>
  deps.writes.start(reply, () => expectedReply(model, request)).catch(refuseDeleted(deployment))

/** Starts writing the reply in the background. Returns the log of its events. */
async function stream(
  deps: ChatDependencies,
  { scope, deployment }: Sender,
  { model, agent }: Target,
  { named, payer, request, history, files, reply: row, needsTitle }: PreparedTurn,
): Promise<EventStream> {
  const { chat_id: chatId, message_id: messageId, user_message_id, citations, content: question } = row
  const reply = new Reply(row)
  reply.addNamed('meta', { chat_id: chatId, user_message_id, message_id: messageId, history })
  if (citations) reply.addNamed('citations', { citations })
  // Attachments that belong to no chat yet. They become files of this chat.
  const loose = files.filter((file) => file.chatId === null)
  const ready = loose.length > 0 ? deps.uploads.attach(row, loose) : Promise.resolve()
  const ended = deps.replies.write(reply, {
    model,
    request,
    ready,
    openTools: async (signal) =>
      agent ? deps.agents.openTools(agent, request, signal) : { request, tools: [] },
    hidesFailure: payer.hidesModel === true || isVisitor(deployment),
  })
  if (needsTitle) deps.titles.generateAfter(ended, scope, { chatId, question, reply, model, payer })
  // If attaching fails, the reply ends with an error in its stream.
  await ready.catch(() => {})
  const headers = { 'X-Chat-Id': chatId, 'X-Message-Id': messageId }
  return { log: reply.log, named, headers }
}

function targetIdOf({ model_id: modelId, agent_id: agentId }: SendQuery): TargetId {
  if (modelId !== undefined && agentId !== undefined)
    throw fail('request.invalid', { reason: sentence('chat.two_targets') })
  if (modelId !== undefined) return { modelId }
  if (agentId !== undefined) return { agentId }
  throw fail('chat.no_target')
}

async function findInstruction(scope: ChatWriter, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  const [row] = await scope.select(instructions, { where: eq(instructions.id, id) })
  if (!row) throw fail('instruction.not_found', { value: id })
  return row.content
}

function refusal(start: Exclude<Start, 'started'>, { sessionId, query }: Turn): AppError {
  switch (start) {
    case 'no chat':
      return fail('chat.not_found', { value: query.chat_id ?? '' })
    case 'repeated':
      return fail('request.idempotency_reused')
    case 'busy':
    case 'moved':
      return fail(sessionId === null ? 'chat.busy' : 'conversation.session_busy')
    default:
      return refusalOf(start)
  }
}

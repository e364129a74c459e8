import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { instructions } from '#database/schema/instructions.ts'
import { onForeignKeyViolation } from '#database/sql-state.ts'
import { AppError, fail, sentence } from '#errors'
import type { OpenDeployment, Scope } from '#platform/access/scope.ts'
import type { Documents } from '#platform/documents/documents.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import { refusalOf } from '#platform/ledger/refusals.ts'
import type { DailyMessage } from '#platform/limits/daily-messages.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Uploads } from '#platform/storage/uploads.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import type { SharedLogs } from '#platform/streams/shared-logs.ts'
import type { Agents, ReadyAgent } from '../agents/index.ts'
import type { ModelFinder, PaidCalls, ResolvedModel } from '../llm/index.ts'
import { findUploads } from './attachments.ts'
import type { FindOpenChat, OpenChat } from './chat-finder-system.ts'
import { findReplyPosition, type Question, type ReplyPosition } from './find-reply-position.ts'
import type { ReadHistoryPage } from './history-reader-system.ts'
import type { LiveReplies } from './live-replies.ts'
import { type ChatKind, findChat } from './manage-chats.ts'
import { type Prepared, prepareRequest, type SendInput } from './prepare-request.ts'
import { hashRequest, repeatOf } from './repeats.ts'
import { Reply } from './reply.ts'
import type { NewReply, ReplyWrites, Start } from './reply-writes-system.ts'
import type { Retriever } from './retriever.ts'
import type { AnotherAnswer, ChatRow, ChatWriter, NewMessage, RegenerateQuery, SendQuery } from './schemas.ts'
import { DEFAULT_TITLE, type Titles } from './titles.ts'
import { kindOf } from './write-media.ts'

/** What the chat part works with; made once (index.ts). */
export interface ChatDependencies {
  writes: ReplyWrites
  replies: LiveReplies
  models: ModelFinder
  agents: Pick<Agents, 'find' | 'openTools' | 'retrieve'>
  calls: PaidCalls
  /** Takes one of the messages that a deployment may take today. Throws deployment.daily_limit. */
  reserveDailyMessage(deployment: OpenDeployment): Promise<DailyMessage>
  findOpenChat: FindOpenChat
  readHistoryPage: ReadHistoryPage
  titles: Titles
  retriever: Retriever
  storage: Storage
  uploads: Uploads
  documents: Documents
  /** Where replies that other processes write can be followed; null without Redis. */
  shared: SharedLogs | null
}

/** How often a message is tried anew because the chat went on while its history was read. */
const ATTEMPTS_MAX = 3

/** Stores the user's message and has it answered (spec, send_message; contract, 5). */
export const sendMessage = (
  deps: ChatDependencies,
  scope: ChatWriter,
  query: SendQuery,
  message: NewMessage,
  idempotencyKey: string | undefined,
): Promise<EventStream> => answer(deps, scope, query, message, idempotencyKey)

/** The same in a session of a conversation, which is known by its chat. */
export const sendInConversation = (
  deps: ChatDependencies,
  scope: Scope<'conversation:write'>,
  { sessionId, ...query }: SendQuery & { chat_id: string; sessionId: string },
  content: string,
  idempotencyKey: string | undefined,
): Promise<EventStream> => {
  const key = idempotencyKey && `stream_chat ${idempotencyKey}`
  return answer(deps, scope, query, { content }, key, { sessionId, deployment: null })
}

/** The same in a session of a deployment, by its agent. */
export const sendToDeployment = (
  deps: ChatDependencies,
  deployment: OpenDeployment,
  query: SendQuery,
  content: string,
  idempotencyKey: string | undefined,
): Promise<EventStream> => {
  const { scope, visitorId } = deployment
  // All visitors are one user. A space is in no key, so nobody can name a key of somebody else.
  const key = idempotencyKey && visitorId !== null ? `${visitorId} ${idempotencyKey}` : idempotencyKey
  return answer(deps, scope, query, { content }, key, { sessionId: null, deployment })
}

/** Has a message answered anew, beside the answers that it has: where nobody is named, by who answered last. */
export async function regenerate(
  deps: ChatDependencies,
  scope: ChatWriter,
  { message_id: messageId, ...query }: RegenerateQuery,
  change: AnotherAnswer,
  idempotencyKey: string | undefined,
): Promise<EventStream> {
  const chat = await findChat(scope, query.chat_id)
  const isNamed = query.model_id !== undefined || query.agent_id !== undefined
  const target = isNamed ? {} : lastTargetOf(chat)
  // A space is in no key, so this is no key of send_message.
  const key = idempotencyKey && `regenerate ${idempotencyKey}`
  return answer(deps, scope, { ...query, ...target }, { again: messageId, ...change }, key)
}

const lastTargetOf = ({ agentId, modelId }: ChatRow): Pick<SendQuery, 'agent_id' | 'model_id'> => {
  if (agentId !== null) return { agent_id: agentId }
  return modelId === null ? {} : { model_id: modelId }
}

/** A message on its way. */
interface OutgoingMessage {
  query: SendQuery
  question: Question
  idempotencyKey: string | undefined
  requestHash: string | null
  recipient: Recipient
}

/** What is spoken to beside a model or agent: a session of a conversation, a deployment, or neither. */
interface Recipient {
  sessionId: string | null
  deployment: OpenDeployment | null
}

const NO_RECIPIENT: Recipient = { sessionId: null, deployment: null }

/**
 * Reserves the credit of a reply and has the model write it. Everything that can be refused is refused before the
 * stream begins. The reply goes on when its reader leaves.
 */
async function answer(
  deps: ChatDependencies,
  scope: ChatWriter,
  query: SendQuery,
  question: Question,
  idempotencyKey: string | undefined,
  recipient: Recipient = NO_RECIPIENT,
): Promise<EventStream> {
  const { deployment } = recipient
  checkTarget(query)
  const requestHash = idempotencyKey === undefined ? null : hashRequest(query, question)
  if (idempotencyKey !== undefined) {
    const before = await repeatOf(deps, scope, query, idempotencyKey, requestHash)
    if (before) return before
  }
  const sending = { query, question, idempotencyKey, requestHash, recipient }
  const dailyMessage = deployment && (await deps.reserveDailyMessage(deployment))
  try {
    const { stream, isRepeat } = await answerNew(deps, scope, sending)
    if (isRepeat) await dailyMessage?.release()
    return stream
  } catch (error) {
    await dailyMessage?.release()
    throw error
  }
}

/** A message that was not answered before; unless its twin comes at the same time. */
async function answerNew(
  deps: ChatDependencies,
  scope: ChatWriter,
  { query, question, idempotencyKey, requestHash, recipient: { sessionId, deployment } }: OutgoingMessage,
): Promise<{ stream: EventStream; isRepeat: boolean }> {
  const kind: ChatKind = sessionId === null ? 'chat' : 'conversation'
  const target = await findTarget(deps, scope, query).catch(translateFor(deployment))
  checkKind(target.model, kind)
  const instruction = await findInstruction(scope, query.instruction_id)

  for (let attempt = 1; ; attempt++) {
    const chat = query.chat_id === undefined ? null : await deps.findOpenChat(scope, query.chat_id, kind)
    if (chat && deployment && !isOwn(chat, deployment)) throw fail('chat.not_found')
    const position = await findReplyPosition(scope, chat, question)
    const files = await findUploads(scope, position.isNewMessage ? (position.uploadIds ?? []) : [])
    await deps.uploads.checkQuota(scope.organizationId, chat?.id ?? null, files)
    const input = { query, question, chat, position, ...target, instruction, deployment }
    const prepared = await prepareRequest(deps, scope, input)
    const written = newReply(
      scope,
      chat,
      { ...position, parentId: prepared.parentId },
      {
        session_id: sessionId,
        ...idsOf(target),
        deployment_id: deployment?.id ?? null,
        visitor_id: deployment?.visitorId ?? null,
        input_ratio: target.model.inputRatio,
        output_ratio: target.model.outputRatio,
        citations: prepared.citations.length > 0 ? prepared.citations : null,
        idempotency_key: idempotencyKey ?? null,
        request_hash: requestHash,
      },
    )
    const start = await deps.writes.start(written).catch(whenDeleted(deployment))
    if (start === 'moved' && attempt < ATTEMPTS_MAX) continue
    if (start === 'repeated' && idempotencyKey !== undefined) {
      const before = await repeatOf(deps, scope, query, idempotencyKey, requestHash)
      if (before) return { stream: before, isRepeat: true }
    }
    if (start !== 'started') throw refusal(start, sessionId)
    return { stream: await begin(deps, scope, { ...input, written, prepared, files }), isRepeat: false }
  }
}

/** A visitor's session is his own; with its key all sessions of a deployment are. */
const isOwn = (chat: OpenChat, { visitorId }: OpenDeployment): boolean =>
  visitorId === null || chat.visitorId === visitorId

/** With a deployment goes the user whom its sessions belong to. Then what was shown for it opens nothing any more. */
const whenDeleted = (deployment: OpenDeployment | null) =>
  deployment ? onForeignKeyViolation('auth.invalid_token') : undefined

interface Admitted extends SendInput {
  written: NewReply
  prepared: Prepared
  /** What comes with the user's message. */
  files: UploadRow[]
}

/** Has a reply written that was admitted, and its chat named after it where it has no name. */
async function begin(deps: ChatDependencies, scope: ChatWriter, admitted: Admitted): Promise<EventStream> {
  const { written, prepared, files, model, agent, chat, position, query, deployment } = admitted
  const { chat_id: chatId, message_id: messageId } = written
  const reply = new Reply(written)
  reply.addNamed('meta', {
    chat_id: chatId,
    user_message_id: written.user_message_id,
    message_id: messageId,
    history: prepared.history,
  })
  if (prepared.citations.length > 0) reply.addNamed('citations', { citations: prepared.citations })
  const isVisitor = deployment !== null && deployment.visitorId !== null
  const hidesFailure = isVisitor || (agent?.isForeign ?? false)
  const openTools = async (signal: AbortSignal) =>
    agent ? deps.agents.openTools(agent, prepared.request, signal) : []
  const ready = attachFiles(deps, written, files)
  const ended = deps.replies.write(reply, {
    model,
    request: prepared.request,
    ready,
    openTools,
    hidesFailure,
  })
  if (deployment === null && (chat === null || isUntitled(chat)))
    deps.titles.giveAfter(ended, scope, { chatId, question: position.content, reply, model, agent })
  // A failure ends the reply, and its stream says so.
  await ready.catch(() => {})
  const headers = { 'X-Chat-Id': chatId, 'X-Message-Id': messageId }
  return { log: reply.log, named: query.events === 'all', headers }
}

/** Puts the files of a message that are in no chat yet into its chat. */
async function attachFiles(
  { uploads }: ChatDependencies,
  written: NewReply,
  files: UploadRow[],
): Promise<void> {
  const loose = files.filter((file) => file.chatId === null)
  if (loose.length > 0) await uploads.attach(written, loose)
}

const isUntitled = ({ isConversation, title }: OpenChat): boolean =>
  !isConversation && title === DEFAULT_TITLE

/** Throws for a model that writes nothing which can be shown there: a conversation is text. */
function checkKind(model: ResolvedModel, chatKind: ChatKind): void {
  const kind = kindOf(model)
  if (kind === undefined || (kind !== 'text' && chatKind === 'conversation')) throw fail('llm.cannot_chat')
}

function checkTarget({ model_id: modelId, agent_id: agentId }: SendQuery): void {
  if (modelId !== undefined && agentId !== undefined)
    throw fail('request.invalid', { reason: sentence('chat.two_targets') })
  if (modelId === undefined && agentId === undefined) throw fail('chat.no_target')
}

/** Who answers: a model, or an agent with its model. */
interface Target {
  model: ResolvedModel
  agent: ReadyAgent | null
}

/** Throws access.missing_permission, and what finds models and agents throws. */
async function findTarget(
  { models, agents }: ChatDependencies,
  scope: ChatWriter,
  { model_id: modelId, agent_id: agentId }: SendQuery,
): Promise<Target> {
  if (modelId !== undefined) return { model: await models.find(scope.organizationId, modelId), agent: null }
  if (agentId === undefined) throw fail('chat.no_target')
  if (!scope.holds('agent:execute')) throw fail('access.missing_permission', { permission: 'agent:execute' })
  const agent = await agents.find(scope.organizationId, agentId)
  return { model: agent.model, agent }
}

/** A visitor is not told what is wrong with the model behind what he talks to. */
const translateFor =
  (deployment: OpenDeployment | null) =>
  (error: unknown): never => {
    const isOfModel = error instanceof AppError && error.code.startsWith('llm.')
    throw isOfModel && deployment?.visitorId != null ? fail('agent.inactive', {}, { cause: error }) : error
  }

/** What is stored and billed names the agent of somebody else, and not what that one uses. */
const idsOf = ({ model, agent }: Target): Pick<NewReply, 'model_id' | 'agent_id'> => ({
  model_id: agent?.isForeign ? null : model.id,
  agent_id: agent?.id ?? null,
})

async function findInstruction(
  scope: ChatWriter,
  instructionId: string | undefined,
): Promise<string | undefined> {
  if (instructionId === undefined) return undefined
  const [row] = await scope.select(instructions, { where: eq(instructions.id, instructionId) })
  if (!row) throw fail('instruction.not_found')
  return row.content
}

function newReply(
  scope: ChatWriter,
  chat: OpenChat | null,
  position: ReplyPosition,
  rest: Pick<
    NewReply,
    | 'session_id'
    | 'model_id'
    | 'agent_id'
    | 'deployment_id'
    | 'visitor_id'
    | 'input_ratio'
    | 'output_ratio'
    | 'citations'
    | 'idempotency_key'
    | 'request_hash'
  >,
): NewReply {
  return {
    ...rest,
    hold_id: newId(),
    organization_id: scope.organizationId,
    user_id: scope.userId,
    api_key_id: scope.apiKeyId,
    chat_id: chat?.id ?? newId(),
    new_chat: chat === null,
    title: DEFAULT_TITLE,
    expected_leaf_id: chat?.leafMessageId ?? null,
    parent_message_id: position.parentId,
    user_message_id: position.userMessageId,
    new_user_message: position.isNewMessage,
    content: position.content,
    upload_ids: position.uploadIds,
    message_id: newId(),
  }
}

function refusal(start: Exclude<Start, 'started'>, sessionId: string | null) {
  switch (start) {
    case 'no chat':
      return fail('chat.not_found')
    case 'repeated':
      return fail('request.idempotency_reused')
    case 'busy':
    case 'moved':
      return fail(sessionId === null ? 'chat.busy' : 'conversation.session_busy')
    default:
      return refusalOf(start)
  }
}

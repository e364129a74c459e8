import type { Citation } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Payer } from '#platform/ledger/ledger.ts'
import { promptBytesOf } from '#platform/models/context-window.ts'
import type { ModelMessage, ModelRequest } from '#platform/models/types.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { type Agents, type ReadyAgent, sharedToolsBudget, type Target } from '../agents/index.ts'
import { describePassages, PASSAGES_SHARE } from '../kb/index.ts'
import {
  type Attachment,
  attachmentsOf,
  checkImages,
  isImage,
  readAttachments,
  selectImages,
  withImages,
} from './attachments.ts'
import type { OpenChat } from './chat-finder-system.ts'
import type { Question, ReplyPosition } from './find-reply-position.ts'
import { type History, type PromptMessage, readHistory, toPromptMessage } from './history.ts'
import type { ReadHistoryPage } from './history-reader-system.ts'
import { citationOf, type Retriever, retrieveFor } from './retriever.ts'
import type { ChatWriter, SendQuery } from './schemas.ts'
import { kindOf } from './write-media.ts'

interface PromptInput {
  query: SendQuery
  question: Question
  /** Content of the saved instruction that the query names. */
  instruction: string | undefined
  payer: Payer
  /** The chat of the message. Null for a new chat. */
  chat: OpenChat | null
  position: ReplyPosition
}

/** Number of earlier messages in the prompt (`sent`), and of earlier messages that didn't fit (`left_out`). */
export interface PromptHistory {
  sent: number
  left_out: number
}

interface PreparedRequest {
  request: ModelRequest
  /** Citations of the passages in the prompt, except hidden passages. */
  citations: Citation[]
  history: PromptHistory
  /** Id of the reply that the message follows. Null for the first message of a chat. */
  parentId: string | null
}

interface PreparingDependencies {
  storage: Storage
  retriever: Retriever
  agents: Pick<Agents, 'retrieve'>
  readHistoryPage: ReadHistoryPage
}

const NO_HISTORY: History = { messages: [], leftOut: 0, leafId: null }

/**
 * Builds the model request. It contains the system prompt of the agent and instruction, the newest part of the branch
 * that fits, and the message with its attachments and passages.
 *
 * A parameter of the query overrides the chat's setting, which overrides the agent's setting, which overrides the
 * model's default. Throws chat.message_not_found, chat.parent_not_reply, kb.not_found, llm.cannot_see,
 * llm.takes_no_files, upload.image_too_large, upload.images_too_large, upload.too_many_images.
 */
export async function prepareRequest(
  deps: PreparingDependencies,
  scope: ChatWriter,
  { model, agent }: Target,
  { query, question, instruction, payer, chat, position }: PromptInput,
): Promise<PreparedRequest> {
  const { language } = scope.client
  const system = [agent?.system, instruction].filter(Boolean).join('\n\n')
  const settings = chat?.settings ?? {}
  const temperature = query.temperature ?? settings.temperature ?? agent?.temperature
  const topP = query.top_p ?? settings.top_p
  const maxTokens = query.max_tokens ?? settings.max_tokens ?? agent?.maxTokens
  const window = { contextWindow: model.contextWindow, maxTokens }

  const kind = kindOf(model)
  const { knowledge_base_ids: knowledgeBaseIds = [] } = question
  if (kind !== 'text' && knowledgeBaseIds.length > 0) throw fail('llm.takes_no_files')
  const passages = await retrieveFor(
    deps,
    scope,
    { knowledgeBaseIds, agent: kind === 'text' ? agent : null, payer },
    position.content,
  )
  const { text: material, used } = describePassages(passages, promptBytesOf(window) * PASSAGES_SHARE)
  const attachments = attachmentsOf(position, await readAttachments(scope, [position]))
  const takes = (file: Attachment): boolean => kind === 'text' || (kind === 'image' && isImage(file))
  if (!attachments.every(takes)) throw fail('llm.takes_no_files')
  const newest = toPromptMessage({ role: 'user', content: position.content }, attachments, window)
  // Image models receive the images themselves. Omits the names of attachments, because the model might draw them.
  if (kind !== 'text') newest.text = position.content
  if (material !== '') newest.text = `${newest.text}\n\n${material}`
  const canSee = kind === 'image' || model.capabilities.includes('vision')
  if (newest.images.length > 0 && !canSee) throw fail('llm.cannot_see')
  checkImages(newest.images)

  const branch = chat
    ? await readHistory(deps.readHistoryPage, scope, chat, position.parentId, {
        newText: system + describeTools(agent) + newest.text,
        otherBytes: agent ? sharedToolsBudget(agent, maxTokens) : 0,
        window,
      })
    : NO_HISTORY
  // Image and video models receive only the newest message.
  const history = kind === 'text' ? branch : NO_HISTORY
  return {
    history: { sent: history.messages.length, left_out: history.leftOut },
    parentId: chat?.isConversation ? branch.leafId : position.parentId,
    citations: used.filter((passage) => !passage.isHidden).map(citationOf),
    request: {
      messages: await toModelMessages(deps.storage, [...history.messages, newest], canSee),
      ...(system !== '' && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(question.thinking && { thinking: true }),
      ...(language !== null && { language }),
    },
  }
}

/** Returns the definitions of the agent's own tools, to approximate their size in the context window. */
const describeTools = (agent: ReadyAgent | null): string =>
  (agent?.tools ?? []).map(({ definition }) => JSON.stringify(definition)).join('\n')

/**
 * Converts messages for the model. Includes the newest images that fit into one request, if the model can see images.
 */
async function toModelMessages(
  storage: Storage,
  messages: PromptMessage[],
  canSee: boolean,
): Promise<ModelMessage[]> {
  const selected = selectImages(canSee ? messages.flatMap(({ images }) => images) : [])
  return Promise.all(
    messages.map(async ({ role, text, images }) =>
      role === 'user'
        ? {
            role,
            content: await withImages(
              storage,
              text,
              images.filter((image) => selected.has(image)),
            ),
          }
        : { role, content: text },
    ),
  )
}

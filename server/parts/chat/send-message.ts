import type { EventStream } from '#platform/http/define-route.ts'
import type { ChatDependencies } from './dependencies.ts'
import { findChat } from './manage-chats.ts'
import type { AnotherAnswer, ChatRow, ChatWriter, NewMessage, RegenerateQuery, SendQuery } from './schemas.ts'
import { takeTurn } from './turn.ts'

/**
 * Stores the user's message and streams the reply. Throws the errors of `takeTurn`.
 */
export const sendMessage = (
  deps: ChatDependencies,
  scope: ChatWriter,
  query: SendQuery,
  message: NewMessage,
  idempotencyKey: string | undefined,
): Promise<EventStream> =>
  takeTurn(
    deps,
    { scope, deployment: null },
    { query, question: message, sessionId: null, idempotencyKey, named: query.events === 'all' },
  )

/**
 * Streams another reply to a message, as a new branch. Without a model or agent in the query, uses the model or agent
 * of the chat's last reply. Throws the errors of `takeTurn`.
 */
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
  return takeTurn(
    deps,
    { scope, deployment: null },
    {
      query: { ...query, ...target },
      question: { again: messageId, ...change },
      sessionId: null,
      // Clients' keys contain no space, so this key cannot equal a key of send_message.
      idempotencyKey: idempotencyKey && `regenerate ${idempotencyKey}`,
      named: query.events === 'all',
    },
  )
}

const lastTargetOf = ({ agentId, modelId }: ChatRow): Pick<SendQuery, 'agent_id' | 'model_id'> => {
  if (agentId !== null) return { agent_id: agentId }
  return modelId === null ? {} : { model_id: modelId }
}

import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { ChatDependencies } from './dependencies.ts'
import { checkVisitor, isVisitor, keyPerVisitor } from './deployment-rules.ts'
import { findChat, newestMessages } from './manage-chats.ts'
import type { ChatRow, MessageRow } from './schemas.ts'
import { streamReply } from './stream-reply.ts'
import { takeTurn } from './turn.ts'

/**
 * The sessions of deployments (contract, 10): chats of a user whom nobody can be, so that replies are held, stored, paid
 * and recovered in one way. They are in no list of chats and have no title. A visitor has his own sessions, the key of a
 * deployment all of them; any other is chat.not_found.
 */
export interface DeploymentChats {
  /**
   * Sends a message, in a new session where none is named, and has the deployment's agent reply. The organization of the
   * deployment pays. Throws what send_message does, and deployment.daily_limit.
   */
  send(deployment: OpenDeployment, message: SessionMessage): Promise<EventStream>
  /** The newest messages of a session, oldest first. */
  session(deployment: OpenDeployment, sessionId: string): Promise<MessageRow[]>
  /** The newest reply, from after the event that was delivered last. Null where all of it was delivered. */
  stream(deployment: OpenDeployment, query: ResumeQuery): Promise<EventStream | null>
  /** Throws chat.not_streaming. */
  stop(deployment: OpenDeployment, sessionId: string): Promise<void>
  /** Has every reply of a deployment stopped, soon, whichever process writes it. */
  stopAll(deployment: { organizationId: string; deploymentId: string }): Promise<void>
}

export interface SessionMessage {
  content: string
  sessionId: string | undefined
  /** Also events with a name, for whoever has the key: a visitor gets none. */
  named: boolean
  idempotencyKey: string | undefined
}

interface ResumeQuery {
  sessionId: string
  lastEventId: string | undefined
  /** As in a message. */
  named: boolean
}

export const deploymentChats = (deps: ChatDependencies): DeploymentChats => ({
  async send(deployment, { content, sessionId, named, idempotencyKey }) {
    const query = {
      org_id: deployment.organizationId,
      agent_id: deployment.agentId,
      ...(sessionId !== undefined && { chat_id: sessionId }),
      ...(named && !isVisitor(deployment) && { events: 'all' as const }),
    }
    const sender = { scope: deployment.scope, deployment }
    const key = keyPerVisitor(deployment, idempotencyKey)
    const message = { query, question: { content }, sessionId: null, idempotencyKey: key }
    return inSession(await takeTurn(deps, sender, message))
  },
  async session(deployment, sessionId) {
    const chat = await findSession(deployment, sessionId)
    return newestMessages(deployment.scope, chat)
  },
  async stream(deployment, { sessionId, lastEventId, named }) {
    const chat = await findSession(deployment, sessionId)
    const stream = await streamReply(deps, deployment.scope, {
      chatId: chat.id,
      messageId: undefined,
      lastEventId,
      named: named && !isVisitor(deployment),
    })
    return stream && inSession(stream)
  },
  async stop(deployment, sessionId) {
    const { id: chatId, organizationId } = await findSession(deployment, sessionId)
    if (!(await deps.replies.stop({ organizationId, chatId }))) throw fail('chat.not_streaming')
  },
  stopAll: (deployment) => deps.writes.requestStopOf(deployment),
})

/** The user of a deployment has no chats but its sessions, so what is left to see is whose of its visitors. */
async function findSession(deployment: OpenDeployment, sessionId: string): Promise<ChatRow> {
  const chat = await findChat(deployment.scope, sessionId)
  checkVisitor(deployment, chat)
  return chat
}

const inSession = (stream: EventStream): EventStream => ({
  ...stream,
  headers: { ...stream.headers, 'X-Session-Id': stream.headers?.['X-Chat-Id'] ?? '' },
})

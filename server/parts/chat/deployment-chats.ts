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
 * Sessions of deployments (contract, 10) are chats of a user that nobody can sign in as, so that holds, storage,
 * charges and recovery of replies work as in chats. Lists of chats omit them, and they have no title. A visitor
 * can use their own sessions, and the deployment's key all of its sessions; for others, calls throw
 * chat.not_found.
 */
export interface DeploymentChats {
  /**
   * Sends a message, in a new session if none is given, and streams the reply of the deployment's agent. The
   * deployment's organization pays. Throws the errors of send_message, and deployment.daily_limit.
   */
  send(deployment: OpenDeployment, message: SessionMessage): Promise<EventStream>
  /** Returns the newest messages of a session, oldest first. */
  session(deployment: OpenDeployment, sessionId: string): Promise<MessageRow[]>
  /** Streams the newest reply from after the last delivered event. Returns null if all of it was delivered. */
  stream(deployment: OpenDeployment, query: ResumeQuery): Promise<EventStream | null>
  /** Stops the reply in progress. Throws chat.not_streaming. */
  stop(deployment: OpenDeployment, sessionId: string): Promise<void>
  /** Requests a stop of all replies of a deployment, in every process; takes effect shortly after. */
  stopAll(deployment: { organizationId: string; deploymentId: string }): Promise<void>
}

export interface SessionMessage {
  content: string
  sessionId: string | undefined
  /** Includes named events for callers with the deployment's key; visitors never get them. */
  named: boolean
  idempotencyKey: string | undefined
}

interface ResumeQuery {
  sessionId: string
  lastEventId: string | undefined
  /** As in SessionMessage. */
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

/** All chats of a deployment's user are its sessions, so only the visitor needs checking. */
async function findSession(deployment: OpenDeployment, sessionId: string): Promise<ChatRow> {
  const chat = await findChat(deployment.scope, sessionId)
  checkVisitor(deployment, chat)
  return chat
}

const inSession = (stream: EventStream): EventStream => ({
  ...stream,
  headers: { ...stream.headers, 'X-Session-Id': stream.headers?.['X-Chat-Id'] ?? '' },
})

import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { NamedEvents } from '#platform/streams/event-log.ts'
import type { ChatDependencies } from './dependencies.ts'
import { checkVisitor, isVisitor, keyPerVisitor } from './deployment-rules.ts'
import { FINISH } from './finish-reason.ts'
import { findChat, newestMessages } from './manage-chats.ts'
import type { ChatRow, MessageRow } from './schemas.ts'
import { streamReply } from './stream-reply.ts'
import { takeTurn } from './turn.ts'

/**
 * Stores the sessions of deployments. Each session is a chat of the deployment's user, so that holds,
 * storage, charges and recovery of replies are shared with chats. The deployment's user cannot sign in. Lists of
 * chats omit sessions, and sessions have no title.
 *
 * Visitors have access to their own sessions. The deployment's key has access to all sessions of the deployment.
 * Calls for any other session throw chat.not_found.
 */
export interface DeploymentChats {
  /**
   * Sends a message and streams the agent's reply. Creates a session if none is given. Charges the deployment's
   * organization. Throws the errors of send_message, and deployment.daily_limit.
   */
  send(deployment: OpenDeployment, message: SessionMessage): Promise<EventStream>
  /** Returns the newest messages of a session, oldest first. */
  session(deployment: OpenDeployment, sessionId: string): Promise<MessageRow[]>
  /**
   * Streams the part of the newest reply that follows the last delivered event. Returns null if everything was
   * delivered.
   */
  stream(deployment: OpenDeployment, query: ResumeQuery): Promise<EventStream | null>
  /** Stops the reply in progress. Throws chat.not_streaming if there is none. */
  stop(deployment: OpenDeployment, sessionId: string): Promise<void>
  /** Requests a stop of all replies of a deployment, in any process. The replies stop shortly after. */
  stopAll(deployment: { organizationId: string; deploymentId: string }): Promise<void>
}

export interface SessionMessage {
  content: string
  sessionId: string | undefined
  /** True to send named events. Visitors receive only those that tell why a reply ended. */
  named: boolean
  idempotencyKey: string | undefined
}

interface ResumeQuery {
  sessionId: string
  lastEventId: string | undefined
  /** True to send named events, as in SessionMessage. */
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
    const message = {
      query,
      question: { content },
      sessionId: null,
      idempotencyKey: key,
      named: namedFor(deployment, named),
    }
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
      named: namedFor(deployment, named),
    })
    return stream && inSession(stream)
  },
  async stop(deployment, sessionId) {
    const { id: chatId, organizationId } = await findSession(deployment, sessionId)
    if (!(await deps.replies.stop({ organizationId, chatId }))) throw fail('chat.not_streaming')
  },
  stopAll: (deployment) => deps.writes.requestStopOf(deployment),
})

/** Visitors learn why a reply ended, but neither the citations and tool calls of the agent nor its costs. */
const namedFor = (deployment: OpenDeployment, isWanted: boolean): NamedEvents =>
  isWanted && isVisitor(deployment) ? { only: [FINISH, 'failure'] } : isWanted

/**
 * Finds a session. All chats of the deployment's user are sessions of the deployment, so only the visitor is checked.
 * Throws chat.not_found.
 */
async function findSession(deployment: OpenDeployment, sessionId: string): Promise<ChatRow> {
  const chat = await findChat(deployment.scope, sessionId)
  checkVisitor(deployment, chat)
  return chat
}

const inSession = (stream: EventStream): EventStream => ({
  ...stream,
  headers: { ...stream.headers, 'X-Session-Id': stream.headers?.['X-Chat-Id'] ?? '' },
})

import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import type { Agents } from '../agents/index.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { createChatFinder } from './chat-finder-system.ts'
import { type ConversationChats, conversationChats } from './conversation-chats.ts'
import { type DeploymentChats, deploymentChats } from './deployment-chats.ts'
import { fileRoutes } from './file-routes.ts'
import { createHistoryReader } from './history-reader-system.ts'
import { createMessageIndex } from './index-messages-system.ts'
import { LiveReplies } from './live-replies.ts'
import { findOrphanedHolds, type OrphanedHold, recoverReplies } from './recover-replies-system.ts'
import { createReplyWrites } from './reply-writes-system.ts'
import type { Retriever } from './retriever.ts'
import { chatRoutes } from './routes.ts'
import { Titles } from './titles.ts'

export { chatTables } from './tables.ts'

const RECOVERY_MS = 5_000
const INDEX_MS = 2_000

export type { ConversationChats } from './conversation-chats.ts'
export type { DeploymentChats } from './deployment-chats.ts'
export { ReplyEvent } from './event-schemas.ts'
export { viewFailure } from './failure.ts'
export { FINISH, FinishReasonField } from './finish-reason.ts'
export { replyKeyRetention } from './repeats.ts'
export type { Retriever } from './retriever.ts'
export { ANSWER_ERRORS } from './routes.ts'
export { ChatChange, MessageContent, type MessageRow, viewMessage } from './schemas.ts'

export interface Chat {
  routes: Route[]
  conversations: ConversationChats
  deployments: DeploymentChats
  /**
   * Recovers the replies of dead processes now, and then periodically. Every process does so in every role, because
   * only it knows which of its own holds have lost their reply.
   */
  start(progress: () => void): Promise<void>
  /** Starts the sweep that one process is enough for. Returns a function that ends it. */
  startSweep(): () => void
  /**
   * Waits up to `graceMs` milliseconds for replies and model calls in progress, then stops the rest. Includes calls
   * that begin before `callers` settles.
   */
  drain(graceMs: number, callers: Promise<unknown>): Promise<void>
  /** Stops the part once all requests have ended. */
  stop(): Promise<void>
}

export function createChat(
  services: Services,
  models: ModelFinder,
  calls: PaidCalls,
  retriever: Retriever,
  agents: Pick<Agents, 'find' | 'openTools' | 'retrieve'>,
): Chat {
  const { database } = services
  const writes = createReplyWrites(database, services.instance.id)
  const replies = new LiveReplies(services, writes)
  const { storage, uploads, documents, events, log, sharedLogs: shared } = services
  const titles = new Titles({ finder: models, calls, events, log })
  const deps = {
    writes,
    replies,
    models,
    agents,
    calls,
    findOpenChat: createChatFinder(database),
    readHistoryPage: createHistoryReader(database),
    titles,
    retriever,
    storage,
    uploads,
    documents,
    shared,
  }
  const index = createMessageIndex(services)
  const findOrphans = () => findOrphanedHolds(services, [...replies.holdIds(), ...calls.holdIds()])
  const recover = (orphans: OrphanedHold[]) => recoverReplies(services, writes, orphans)
  const failure = 'chat sweep failed'
  let recovery: RunningSweep | undefined
  return {
    routes: [...chatRoutes(deps), ...fileRoutes(deps)],
    conversations: conversationChats(deps),
    deployments: deploymentChats(deps),
    async start(progress) {
      progress()
      for (let orphans = await findOrphans(); orphans.length > 0; orphans = await findOrphans()) {
        await recover(orphans)
        progress()
      }
      recovery = services.sweeps.begin({
        name: 'orphaned replies',
        everyMs: RECOVERY_MS,
        find: findOrphans,
        work: recover,
        failure,
      })
    },
    startSweep() {
      const { find, sweep } = index
      return services.sweeps.begin({ name: 'message index', everyMs: INDEX_MS, find, work: sweep, failure })
        .end
    },
    async drain(graceMs, callers) {
      const repliesEnded = replies.close(graceMs)
      const callsEnded = calls.close(graceMs, Promise.all([callers, repliesEnded]))
      await Promise.all([repliesEnded, titles.close(repliesEnded), callsEnded])
    },
    async stop() {
      await Promise.all([recovery?.end(), replies.close(0), index.stop()])
    },
  }
}

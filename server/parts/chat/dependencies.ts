import type { Documents } from '#platform/documents/documents.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Uploads } from '#platform/storage/uploads.ts'
import type { SharedLogs } from '#platform/streams/shared-logs.ts'
import type { Agents } from '../agents/index.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import type { FindOpenChat } from './chat-finder-system.ts'
import type { ReadHistoryPage } from './history-reader-system.ts'
import type { LiveReplies } from './live-replies.ts'
import type { ReplyWrites } from './reply-writes-system.ts'
import type { Retriever } from './retriever.ts'
import type { Titles } from './titles.ts'

export interface ChatDependencies {
  writes: ReplyWrites
  replies: LiveReplies
  models: ModelFinder
  agents: Pick<Agents, 'find' | 'openTools' | 'retrieve'>
  calls: PaidCalls
  findOpenChat: FindOpenChat
  readHistoryPage: ReadHistoryPage
  titles: Titles
  retriever: Retriever
  storage: Storage
  uploads: Uploads
  documents: Documents
  /** Logs of replies that other processes write. Null without Redis. */
  shared: SharedLogs | null
}

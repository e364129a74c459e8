import type { Route } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import { createStemmer } from '#platform/retrieval/stems.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { createChatRetriever, findPassages, type Passage } from './chat-retriever.ts'
import { PASSAGES_MAX, SCORE_THRESHOLD } from './describe-passages.ts'
import type { KbDesk } from './desk.ts'
import { evaluationRoutes } from './evaluation-routes.ts'
import { createIngestion, type Ingestion } from './ingestion.ts'
import { manageRoutes } from './routes.ts'
import { createEvaluationRuns, type EvaluationRuns } from './run-evaluation.ts'
import { searchRoutes } from './search-routes.ts'

export type { Passage } from './chat-retriever.ts'
export { describePassages, PASSAGES_MAX, PASSAGES_SHARE, SCORE_THRESHOLD } from './describe-passages.ts'

export interface KnowledgeBases {
  routes: Route[]
  ingestion: Ingestion
  evaluationRuns: EvaluationRuns
  /** For chats. */
  retriever: ReturnType<typeof createChatRetriever>
  /**
   * For agents: the passages of one organization's knowledge bases that fit a question best, best first, paid by
   * whoever asks; knowledge bases that are gone bring nothing. Who may see them is for the caller to know. Throws
   * billing.insufficient_credits.
   */
  findPassages(
    payer: Payer,
    wanted: { organizationId: string; knowledgeBaseIds: string[]; query: string },
  ): Promise<Passage[]>
}

export function createKnowledgeBases(rooms: Rooms, models: ModelFinder, calls: PaidCalls): KnowledgeBases {
  const stemmer = createStemmer(rooms.database.sql)
  const ingestion = createIngestion({ rooms, models, calls, stemmer })
  const desk: KbDesk = { rooms, models, calls, stemmer, ingestion }
  const evaluationRuns = createEvaluationRuns(desk)
  return {
    routes: [...manageRoutes(desk), ...searchRoutes(desk), ...evaluationRoutes(desk, evaluationRuns)],
    ingestion,
    evaluationRuns,
    retriever: createChatRetriever(desk),
    findPassages: (payer, wanted) =>
      findPassages(desk, payer, {
        ...wanted,
        limit: PASSAGES_MAX,
        scoreThreshold: SCORE_THRESHOLD,
        mayBeGone: true,
      }),
  }
}

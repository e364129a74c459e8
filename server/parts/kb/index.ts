import type { Route } from '#platform/http/define-route.ts'
import { createStemmer } from '#platform/retrieval/stems.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { createChatRetriever } from './chat-retriever.ts'
import type { KbDesk } from './desk.ts'
import { evaluationRoutes } from './evaluation-routes.ts'
import { createIngestion, type Ingestion } from './ingestion.ts'
import { manageRoutes } from './routes.ts'
import { createEvaluationRuns, type EvaluationRuns } from './run-evaluation.ts'
import { searchRoutes } from './search-routes.ts'

export { describePassages, SCORE_THRESHOLD } from './describe-passages.ts'

export interface KnowledgeBases {
  routes: Route[]
  ingestion: Ingestion
  evaluationRuns: EvaluationRuns
  /** For chats. */
  retriever: ReturnType<typeof createChatRetriever>
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
  }
}

import { sql } from '#database/drizzle.ts'
import { knowledgeBases } from '#database/schema/kb.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { Route } from '#platform/http/define-route.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { Services } from '#platform/services.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import {
  createChatRetriever,
  findPassages,
  type KbList,
  type ListedKb,
  listKnowledgeBases,
  type Passage,
} from './chat-retriever.ts'
import type { KbDependencies } from './dependencies.ts'
import { PASSAGES_MAX, SCORE_THRESHOLD } from './describe-passages.ts'
import { type DocumentWithText, listDocumentsWithText, readDocumentText } from './document-texts.ts'
import { ContentsEraser } from './erase-contents-system.ts'
import { evaluationRoutes } from './evaluation-routes.ts'
import { sqlOf } from './find-work-system.ts'
import { createIngestion, type Ingestion } from './ingestion.ts'
import { manageRoutes } from './routes.ts'
import { createEvaluationRuns, type EvaluationRuns } from './run-evaluation.ts'
import { createPostgresIndex } from './search-index.ts'
import { searchRoutes } from './search-routes.ts'
import { openStemmer } from './stemmer-system.ts'

export type { KbList, Passage } from './chat-retriever.ts'
export { chooseChunking } from './chunking.ts'
export { describePassages, PASSAGES_MAX, PASSAGES_SHARE, SCORE_THRESHOLD } from './describe-passages.ts'
export type { DocumentWithText } from './document-texts.ts'
export { eraseContents } from './erase-contents-system.ts'
export { NewEvaluation } from './evaluation-schemas.ts'
export { NewKnowledgeBase } from './schemas.ts'
export { checkStoredSource } from './source-config.ts'
export { kbTables } from './tables.ts'
export { hashOf } from './text-kind.ts'

export interface KnowledgeBases {
  routes: Route[]
  ingestion: Ingestion
  evaluationRuns: EvaluationRuns
  /** Deletes the contents of deleted knowledge bases and sources. */
  contentsEraser: ContentsEraser
  retriever: ReturnType<typeof createChatRetriever>
  /**
   * Searches an organization's knowledge bases for an agent. Returns the best passages, best first, and charges the
   * payer. Ignores deleted knowledge bases. The caller must have checked access. Throws billing.insufficient_credits.
   */
  findPassages(
    payer: Payer,
    request: { organizationId: string; knowledgeBaseIds: string[]; query: string; limit?: number },
  ): Promise<Passage[]>
  /** Returns knowledge bases of the organization, newest first. */
  list(scope: Scope<'kb:read'>, list: KbList): Promise<ListedKb[]>
  /** Finds a knowledge base by name, ignoring case. Throws kb.not_found. */
  findNamed(scope: Scope<'kb:read'>, name: string): Promise<{ id: string; name: string }>
  /** Returns documents with a text that follow `after`, knowledge base by knowledge base, newest first. */
  listDocuments(
    scope: Scope<'kb:read'>,
    after: Pick<DocumentWithText, 'kbId' | 'id'> | undefined,
    count: number,
  ): Promise<DocumentWithText[]>
  /** Returns a document's text. Throws kb.document_not_found, kb.document_without_text, kb.document_too_long. */
  readText(
    scope: Scope<'kb:read'>,
    documentId: string,
  ): Promise<Pick<DocumentWithText, 'textKind'> & { text: string }>
}

export function createKnowledgeBases(
  services: Services,
  models: ModelFinder,
  calls: PaidCalls,
): KnowledgeBases {
  const { database } = services
  const stemmer = openStemmer(database)
  const ingestion = createIngestion({ services, models, calls, stemmer })
  const index = createPostgresIndex(stemmer)
  const contentsEraser = new ContentsEraser({ services, onErased: ingestion.begin })
  const deps: KbDependencies = { services, models, calls, stemmer, index, ingestion, contentsEraser }
  const evaluationRuns = createEvaluationRuns(deps)
  return {
    routes: [...manageRoutes(deps), ...searchRoutes(deps), ...evaluationRoutes(deps, evaluationRuns)],
    ingestion,
    evaluationRuns,
    contentsEraser,
    retriever: createChatRetriever(deps),
    findPassages: (payer, request) =>
      findPassages(deps, payer, {
        limit: PASSAGES_MAX,
        ...request,
        sql: sqlOf(database, request),
        scoreThreshold: SCORE_THRESHOLD,
        mayBeGone: true,
      }),
    list: listKnowledgeBases,
    async findNamed(scope, name) {
      const isNamed = sql`lower(${knowledgeBases.name}) = lower(${name})`
      const [found] = await scope.select(knowledgeBases, { where: isNamed, limit: 1 })
      if (!found) throw fail('kb.not_found', { field: 'knowledge_base', value: name })
      return found
    },
    listDocuments: listDocumentsWithText,
    readText: readDocumentText,
  }
}

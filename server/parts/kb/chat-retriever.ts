import { olderThan } from '#database/keyset.ts'
import { patternsHolding } from '#database/like.ts'
import type { Citation } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import { QUERY_CHARACTERS_MAX } from '#platform/retrieval/parse-query.ts'
import type { KbDependencies } from './dependencies.ts'
import { retrieve, type SearchRequest } from './retrieve.ts'

/** A citation with the full content of its passage. */
export interface Passage extends Citation {
  content: string
  /** Headings above the passage, outermost first. */
  headings: string[]
}

/** Scope of the caller. Chat messages use only knowledge bases that the caller may read. */
type Reader = Pick<Scope<'chats:read'>, 'organizationId' | 'userId' | 'apiKeyId' | 'holds' | 'sql'>

/**
 * Implements the retriever of the chat part (chat/retriever.ts). Truncates long messages to the maximum query length.
 */
export const createChatRetriever = (deps: KbDependencies) => ({
  /** Returns an empty list for callers that cannot send a message with a knowledge base. */
  listUsable: async (scope: Reader, list: KbList) =>
    scope.holds('chats:write') && scope.holds('kb:read') ? listKnowledgeBases(scope, list) : [],
  async retrieve(
    scope: Reader,
    request: { knowledgeBaseIds: string[]; query: string; limit: number; scoreThreshold: number },
  ): Promise<Passage[]> {
    if (!scope.holds('kb:read')) throw fail('access.missing_permission', { permission: 'kb:read' })
    return findPassages(deps, scope, { ...request, sql: scope.sql, organizationId: scope.organizationId })
  },
})

/**
 * Returns passages, best first. The caller must have checked access. Throws billing.insufficient_credits, and
 * kb.not_found unless `mayBeGone`.
 */
export async function findPassages(
  deps: KbDependencies,
  payer: Payer,
  request: Pick<
    SearchRequest,
    'sql' | 'organizationId' | 'knowledgeBaseIds' | 'query' | 'limit' | 'scoreThreshold' | 'mayBeGone'
  >,
): Promise<Passage[]> {
  const query = request.query.slice(0, QUERY_CHARACTERS_MAX).toWellFormed()
  const { passages } = await retrieve(deps, payer, { ...request, query, filter: [], rerank: null })
  return passages.map(({ kbId, documentId, documentName, chunkId, score, content, headings }) => ({
    kb_id: kbId,
    document_id: documentId,
    document_name: documentName,
    chunk_id: chunkId,
    score,
    snippet: '',
    content,
    headings,
  }))
}

export interface ListedKb {
  id: string
  name: string
  description: string
}

export interface KbList {
  /** Words that the name or description must contain. */
  q?: string | undefined
  /** Exclusive upper bound of the ids. */
  below: string | undefined
  count: number
}

/** Returns an organization's knowledge bases, newest first. The caller must have checked access. */
export const listKnowledgeBases = (
  { sql, organizationId }: Pick<Scope<'kb:read'>, 'sql' | 'organizationId'>,
  { q, below, count }: KbList,
): Promise<ListedKb[]> => sql<ListedKb[]>`
  select id, name, description from knowledge_bases
  where organization_id = ${organizationId} and ${olderThan(sql, 'id', below)}
    and concat_ws(' ', name, description) ilike all (${patternsHolding(q)}::text[])
  order by id desc limit ${count}`

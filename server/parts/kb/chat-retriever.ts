import type { Sql } from 'postgres'
import type { Citation } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { QUERY_CHARACTERS_MAX } from '#platform/retrieval/parse-query.ts'
import type { KbDesk } from './desk.ts'
import { retrieve } from './retrieve.ts'

/** Whoever writes in a chat uses knowledge bases only where he may read them. */
type Reader = Pick<Scope<'chats:read'>, 'organizationId' | 'userId' | 'holds'>

/**
 * Passages for chats: what the chat part asks for (chat/retriever.ts), found as search finds them. Of a long message the
 * beginning is the question: models that embed take no more.
 */
export const createChatRetriever = (desk: KbDesk) => ({
  listUsable: async (scope: Reader, below: string | undefined, count: number) =>
    scope.holds('kb:read') ? listUsable(desk.rooms.database.sql, scope, below, count) : [],
  async retrieve(
    scope: Reader,
    wanted: { knowledgeBaseIds: string[]; query: string; limit: number; scoreThreshold: number },
  ): Promise<(Citation & { content: string; headings: string[] })[]> {
    if (!scope.holds('kb:read')) throw fail('access.missing_permission', { permission: 'kb:read' })
    const query = wanted.query.slice(0, QUERY_CHARACTERS_MAX).toWellFormed()
    const { passages } = await retrieve(desk, scope, {
      ...wanted,
      organizationId: scope.organizationId,
      query,
      filter: [],
      rerank: null,
    })
    return passages.map(({ documentId, documentName, chunkId, score, content, headings }) => ({
      document_id: documentId,
      document_name: documentName,
      chunk_id: chunkId,
      score,
      snippet: '',
      content,
      headings,
    }))
  },
})

const listUsable = async (
  sql: Sql,
  { organizationId }: { organizationId: string },
  below: string | undefined,
  count: number,
) => [
  ...(await sql<{ id: string; name: string; description: string }[]>`
    select id, name, description from knowledge_bases
    where organization_id = ${organizationId} and (${below ?? null}::uuid is null or id < ${below ?? null}::uuid)
    order by id desc limit ${count}`),
]

import { and, eq, isNotNull, ne } from '#database/drizzle.ts'
import { kbDocuments, kbSources, knowledgeBases } from '#database/schema/kb.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { chooseChunking } from './chunking.ts'
import type { KbDependencies } from './dependencies.ts'
import { findEmbeddingModel } from './embedding-model.ts'
import { getKnowledgeBase } from './manage-knowledge-bases.ts'
import type { KnowledgeBaseView, Reindexing } from './schemas.ts'

/**
 * Splits and embeds the stored text of all documents again, with new settings if given, and reads failed sources
 * again. With `source_id`, only reads that source again and keeps unchanged documents.
 *
 * Until a document is indexed again, searches find its previous chunks. If the embedding model changed, they find
 * these chunks only by words. Throws kb.chunking_invalid, llm.not_found, kb.not_embedding, kb.source_not_found.
 */
export async function reindex(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  kbId: string,
  input: Reindexing,
): Promise<KnowledgeBaseView> {
  if (input.source_id !== undefined) await readAgain(scope, kbId, input.source_id)
  else await indexAgain(deps, scope, kbId, input)
  await deps.ingestion.begin({ organizationId: scope.organizationId, id: kbId })
  return getKnowledgeBase(scope, kbId)
}

async function indexAgain(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  kbId: string,
  { embedding_model: name, chunking }: Reindexing,
): Promise<void> {
  const model = name === undefined ? undefined : await findEmbeddingModel(deps, scope.organizationId, name)
  await scope.transaction(async (database) => {
    const [kb] = await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    if (!kb) throw fail('kb.not_found', { value: kbId })
    await database.update(knowledgeBases, eq(knowledgeBases.id, kbId), {
      chunking: chooseChunking(chunking, kb.chunking),
      // Starts a new generation of vectors even for the same model, because its version or server may have changed.
      ...(name !== undefined && {
        embeddingModel: name,
        embeddingModelId: model?.id ?? null,
        generation: kb.generation + 1,
        dimensions: null,
        floor: null,
      }),
      updatedAt: new Date(),
    })
    await database.update(kbDocuments, and(eq(kbDocuments.kbId, kbId), isNotNull(kbDocuments.contentHash)), {
      status: 'pending',
      claimedBy: null,
      failures: 0,
      notBefore: null,
      error: null,
    })
    await database.update(kbSources, and(eq(kbSources.kbId, kbId), eq(kbSources.status, 'failed')), DUE_NOW)
  })
}

const DUE_NOW = { status: 'pending', nextReadingAt: new Date(0), failures: 0, error: null } as const

/** Makes a website or bucket due for reading. Has no effect while the source is being read. */
async function readAgain(scope: Scope<'kb:write'>, kbId: string, sourceId: string): Promise<void> {
  const where = and(eq(kbSources.kbId, kbId), eq(kbSources.id, sourceId))
  const [source] = await scope.select(kbSources, { where })
  if (!source) throw fail('kb.source_not_found', { value: sourceId })
  if (source.type === 'file' || source.type === 'text')
    throw fail('kb.source_invalid', {
      reason: sentence('kb.read_once'),
    })
  await scope.transaction(async (database) => {
    await database.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId), lock: true })
    await database.update(kbSources, and(where, ne(kbSources.status, 'reading')), DUE_NOW)
  })
}

import { asc, eq, inArray } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { kbSources, knowledgeBases } from '#database/schema/kb.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { insertSource, prepareSource } from './add-source.ts'
import { chooseChunking } from './chunking.ts'
import type { KbDependencies } from './dependencies.ts'
import { findEmbeddingModel } from './embedding-model.ts'
import {
  type IngestionStatus,
  type KnowledgeBaseChange,
  type KnowledgeBaseRow,
  type KnowledgeBaseView,
  type NewKnowledgeBase,
  type SourceRow,
  viewIngestion,
  viewKnowledgeBase,
} from './schemas.ts'

/**
 * Creates a knowledge base with its sources. Websites and buckets are read after the response. Throws kb.name_taken,
 * kb.source_invalid, kb.chunking_invalid, llm.not_found, kb.not_embedding, upload.not_found, upload.quota.
 */
export async function createKnowledgeBase(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  input: NewKnowledgeBase,
): Promise<KnowledgeBaseView> {
  const model = await findEmbeddingModel(deps, scope.organizationId, input.embedding_model)
  const chunking = chooseChunking(input.chunking)
  const sources = input.sources.map((source) => prepareSource(deps, source))
  const made = await scope
    .transaction(async (database) => {
      const kb = await database.insert(knowledgeBases, {
        id: newId(),
        createdBy: scope.userId,
        name: input.name.trim(),
        description: input.description,
        embeddingModel: input.embedding_model,
        embeddingModelId: model?.id ?? null,
        chunking,
      })
      for (const source of sources) await insertSource(database, scope, kb.id, source)
      return kb
    })
    .catch(onUniqueViolation('kb.name_taken'))
  await deps.ingestion.begin(made)
  return getKnowledgeBase(scope, made.id)
}

export async function listKnowledgeBases(
  scope: Scope<'kb:read'>,
  query: ListQuery,
): Promise<Page<KnowledgeBaseView>> {
  const page = await listRecords(scope, knowledgeBases, {
    query,
    view: (row) => row,
    searched: [knowledgeBases.name, knowledgeBases.description],
  })
  const sources = await readSources(
    scope,
    page.data.map(({ id }) => id),
  )
  return {
    ...page,
    data: page.data.map((row) =>
      viewKnowledgeBase(
        row,
        sources.filter(({ kbId }) => kbId === row.id),
      ),
    ),
  }
}

export async function getKnowledgeBase(
  scope: Scope<'kb:read'> | Scope<'kb:write'>,
  kbId: string,
): Promise<KnowledgeBaseView> {
  const kb = await findKnowledgeBase(scope, kbId)
  return viewKnowledgeBase(kb, await readSources(scope, [kbId]))
}

export async function updateKnowledgeBase(
  scope: Scope<'kb:write'>,
  kbId: string,
  change: KnowledgeBaseChange,
): Promise<KnowledgeBaseView> {
  const { name, description } = change
  const rows = await scope
    .update(knowledgeBases, eq(knowledgeBases.id, kbId), {
      ...(name !== undefined && { name: name.trim() }),
      ...(description !== undefined && { description }),
      updatedAt: new Date(),
    })
    .catch(onUniqueViolation('kb.name_taken'))
  if (rows.length === 0) throw fail('kb.not_found', { value: kbId })
  return getKnowledgeBase(scope, kbId)
}

/**
 * Deletes a knowledge base, and announces it to members with `kb:read`. Readings and indexing in progress stop, and its
 * contents are deleted in the background.
 */
export async function deleteKnowledgeBase(
  { services: { events }, contentsEraser }: KbDependencies,
  scope: Scope<'kb:delete'>,
  kbId: string,
): Promise<void> {
  const rows = await scope.delete(knowledgeBases, eq(knowledgeBases.id, kbId))
  if (rows.length === 0) throw fail('kb.not_found', { value: kbId })
  const { organizationId } = scope
  events.publish({ type: 'kb.deleted', organizationId, data: { kb_id: kbId }, to: { permission: 'kb:read' } })
  await contentsEraser.wake()
}

export async function getIngestionStatus(scope: Scope<'kb:read'>, kbId: string): Promise<IngestionStatus> {
  return viewIngestion(kbId, await readSources(scope, [kbId]))
}

type AnyScope = Scope<'kb:read'> | Scope<'kb:write'> | Scope<'kb:delete'>

export async function findKnowledgeBase(scope: AnyScope, kbId: string): Promise<KnowledgeBaseRow> {
  const [row] = await scope.select(knowledgeBases, { where: eq(knowledgeBases.id, kbId) })
  if (!row) throw fail('kb.not_found', { value: kbId })
  return row
}

const readSources = (scope: AnyScope, kbIds: string[]): Promise<SourceRow[]> =>
  scope.select(kbSources, { where: inArray(kbSources.kbId, kbIds), orderBy: [asc(kbSources.id)] })

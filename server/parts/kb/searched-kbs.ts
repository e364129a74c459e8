import type { TenantSql } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { FusedHit, Scored } from '#platform/retrieval/fusion.ts'
import type { KbRef } from './ingestion.ts'

/** The fields of a knowledge base that a search needs. */
export interface SearchedKb {
  id: string
  organizationId: string
  embeddingModel: string
  embeddingModelId: string | null
  generation: number
  dimensions: number | null
  floor: number | null
  languages: string[]
  indexVersion: number
  chunkCount: number
  wordCount: number
  /** Number of deleted chunks whose postings still exist. */
  deadCount: number
  /** True while documents of a deleted source still exist. */
  hasAbandoned: boolean
}

/**
 * Returns knowledge bases, ordered by id. Throws kb.not_found if a knowledge base is not in the organization, unless
 * `mayBeGone`.
 */
export async function readSearchedKbs({
  sql,
  organizationId,
  knowledgeBaseIds,
  mayBeGone = false,
}: {
  sql: TenantSql
  organizationId: string
  knowledgeBaseIds: readonly string[]
  mayBeGone?: boolean
}): Promise<SearchedKb[]> {
  const ids = [...new Set(knowledgeBaseIds)]
  const rows = await sql<SearchedKb[]>`
    select id, organization_id as "organizationId", embedding_model as "embeddingModel",
      embedding_model_id as "embeddingModelId", generation, dimensions, floor, languages,
      index_version as "indexVersion", chunk_count as "chunkCount", word_count::float as "wordCount",
      dead_count as "deadCount",
      exists (select from kb_contents c where c.kb_id = k.id and c.organization_id = k.organization_id
        and c.is_abandoned) as "hasAbandoned"
    from knowledge_bases k where organization_id = ${organizationId} and id = any(${ids}) order by id`
  const missing = mayBeGone ? undefined : ids.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined) throw fail('kb.not_found', { value: missing })
  return rows
}

export const refOf = ({ organizationId, id }: SearchedKb): KbRef => ({ organizationId, kbId: id })

/** Maximum number of candidates per stage. */
export const STAGE_MAX = 100

/** A chunk that a stage found, identified by its number in the knowledge base. */
export interface StageHit extends Scored {
  kb: SearchedKb
  number: number
}

/** A chunk that the lexical stage, the dense stage or both found. */
export type Candidate = FusedHit<StageHit>

/** True if the knowledge base uses the built-in embedding. */
export const isLocal = ({ embeddingModelId }: SearchedKb): boolean => embeddingModelId === null

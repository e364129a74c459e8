import type { TenantSql } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Fused } from '#platform/retrieval/fusion.ts'
import type { KbRef } from './ingestion.ts'

/** A knowledge base as a search needs it. */
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
  /** Chunks that are gone and still stand in postings. */
  deadCount: number
}

/** All of them, in the order of their ids. Throws kb.not_found for one that is not the organization's, unless it may be gone. */
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
      dead_count as "deadCount"
    from knowledge_bases where organization_id = ${organizationId} and id = any(${ids}) order by id`
  if (rows.length < ids.length && !mayBeGone) throw fail('kb.not_found')
  return rows
}

export const refOf = ({ organizationId, id }: SearchedKb): KbRef => ({ organizationId, kbId: id })

/** Each stage brings so many candidates to the fusion. */
export const STAGE_MAX = 100

/** A chunk that a stage has found, by its number in its knowledge base. */
export interface StageHit {
  kb: SearchedKb
  number: number
  /** Above 0; of the same meaning in all knowledge bases. */
  score: number
}

/** A chunk that at least one stage has found. */
export type Candidate = Omit<StageHit, 'score'> & Fused

/** Whether its vectors are of the built-in embedding. */
export const isLocal = ({ embeddingModelId }: SearchedKb): boolean => embeddingModelId === null

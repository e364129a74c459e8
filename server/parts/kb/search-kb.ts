import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { KbDependencies } from './dependencies.ts'
import { parseFilter } from './filter.ts'
import { retrieve } from './retrieve.ts'
import { type SearchAnswer, type SearchRequest, viewPassage, viewReceipt } from './search-schemas.ts'

export const LIMIT_DEFAULT = 5

/**
 * Returns the best passages for a query. Throws kb.not_found, kb.filter_invalid, and the errors of
 * findReranker.
 */
export async function searchKb(
  deps: KbDependencies,
  scope: Scope<'kb:read'>,
  kbId: string,
  {
    query,
    limit = LIMIT_DEFAULT,
    filter,
    score_threshold: scoreThreshold = 0,
    rerank,
    explain = false,
  }: SearchRequest,
): Promise<SearchAnswer> {
  const { passages, receipt } = await retrieve(deps, scope, {
    sql: scope.sql,
    organizationId: scope.organizationId,
    knowledgeBaseIds: [kbId],
    query,
    limit,
    scoreThreshold,
    filter: parseFilter(filter),
    rerank: await findReranker(deps, scope, rerank),
  })
  return {
    results: passages.map((passage) => viewPassage(passage, explain)),
    ...(explain && { receipt: viewReceipt(receipt) }),
  }
}

/** Finds a text model by name or id. Throws llm.not_found, llm.inactive, llm.not_configured, llm.cannot_chat. */
export async function findTextModel(
  { models }: KbDependencies,
  { organizationId }: { organizationId: string },
  nameOrId: string,
): Promise<ResolvedModel> {
  const model = await models.findNamed(organizationId, nameOrId)
  if (!model.capabilities.includes('text')) throw fail('llm.cannot_chat')
  return model
}

/** Finds the model for reranking. Returns null if none is named. Throws the errors of findTextModel. */
export const findReranker = async (
  deps: KbDependencies,
  scope: { organizationId: string },
  nameOrId: string | null | undefined,
): Promise<ResolvedModel | null> => (nameOrId == null ? null : findTextModel(deps, scope, nameOrId))

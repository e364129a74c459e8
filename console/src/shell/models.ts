import type { LanguageModel } from '@parley/client/schemas'
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { read, readPages } from '../api/queries.ts'
import { useRecords } from '../api/use-records.ts'
import { CHOICES_PAGE } from '../ui/choices.ts'
import { useHere } from './organization.tsx'

interface Models {
  /** The organization's newest models. */
  newest: UseInfiniteQueryResult<LanguageModel[]>
  /** The newest models, and those with the given ids. */
  models: LanguageModel[]
  isLoading: boolean
}

/** Returns the newest models of the organization, and those with these ids. Empty if the user cannot read models. */
export function useModels(ids: readonly string[]): Models {
  const { organization, may } = useHere()
  const org_id = organization.id
  const newest = useInfiniteQuery({
    ...readPages('GET /api/llm/list', { org_id, limit: CHOICES_PAGE }),
    enabled: may('organization:read'),
  })
  const { records, isLoading } = useRecords(ids, newest.data, (model_id) =>
    read('GET /api/llm/get', { org_id, model_id }),
  )
  return { newest, models: records, isLoading: newest.isLoading || isLoading }
}

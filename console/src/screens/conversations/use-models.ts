import { useInfiniteQuery } from '@tanstack/react-query'
import { read, readPages } from '../../api/queries.ts'
import { useRecords } from '../../api/use-records.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { CHOICES_PAGE, type ChoiceList, listChoices } from '../../ui/choices.ts'

const t = translator('conversations')

/**
 * Returns the list of models that can be added to a conversation.
 *
 * @param others ids of models to leave out
 */
export function useModelList(others: readonly (string | null)[] = []): ChoiceList {
  const { organization } = useHere()
  return listChoices('GET /api/llm/list', { org_id: organization.id }, (model) => {
    const { id, name, provider, is_active, config } = model
    const isUsable = is_active && (config.capabilities?.includes('text') ?? true)
    return isUsable && !others.includes(id) ? { id, name, note: provider } : null
  })
}

/** Returns a function that returns the name of one of these models. */
export function useModelNames(ids: readonly (string | null)[]): (id: string | null) => string {
  const { organization } = useHere()
  const org_id = organization.id
  const newest = useInfiniteQuery(readPages('GET /api/llm/list', { org_id, limit: CHOICES_PAGE }))
  const { records, isLoading } = useRecords(
    ids.filter((id) => id !== null),
    newest.data,
    (model_id) => read('GET /api/llm/get', { org_id, model_id }),
  )
  return (id) =>
    records.find((model) => model.id === id)?.name ??
    (newest.isLoading || isLoading ? '…' : t('models.deleted'))
}

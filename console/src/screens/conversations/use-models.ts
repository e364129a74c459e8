import { translator } from '../../messages/index.ts'
import { useModels } from '../../shell/models.ts'
import { useHere } from '../../shell/organization.tsx'
import { type ChoiceList, listChoices } from '../../ui/choices.ts'

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
  const { models, isLoading } = useModels(ids.filter((id) => id !== null))
  return (id) => models.find((model) => model.id === id)?.name ?? (isLoading ? '…' : t('models.deleted'))
}

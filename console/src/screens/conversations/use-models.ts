import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import type { Choice } from '../../ui/picker-panel.tsx'

const t = translator('conversations')

/** Returns the models that can be added to a conversation, and a function that returns any model's name. */
export function useModels() {
  const { organization } = useHere()
  const models = useQuery(read('GET /api/llm/list', { org_id: organization.id, limit: 100 }))
  const all = models.data?.data ?? []
  const choices: Choice[] = all
    .filter(({ is_active, config }) => is_active && (config.capabilities?.includes('text') ?? true))
    .map(({ id, name, provider }) => ({ id, name, note: provider }))
  const nameOf = (id: string | null): string =>
    all.find((model) => model.id === id)?.name ?? (models.isLoading ? '…' : t('models.deleted'))
  return { query: models, choices, nameOf }
}

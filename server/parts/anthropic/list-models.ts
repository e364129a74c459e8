import type { Sender } from '../agents/index.ts'
import { getModel, listModels, type OpenAiDependencies } from '../openai/index.ts'

interface PageQuery {
  limit?: number
  after_id?: string
  before_id?: string
}

const LIMIT_DEFAULT = 20

/** Lists models and agents in Anthropic's format. https://platform.claude.com/docs/en/api/models-list */
export async function listModelPage(
  deps: Pick<OpenAiDependencies, 'models' | 'agents'>,
  sender: Sender,
  { limit = LIMIT_DEFAULT, after_id: afterId, before_id: beforeId }: PageQuery,
) {
  const all = (await listModels(deps, sender)).data.map(viewModel)
  const indexOf = (id: string | undefined): number => all.findIndex((model) => model.id === id)
  const isBackward = beforeId !== undefined
  const end = isBackward ? Math.max(0, indexOf(beforeId)) : all.length
  const start = isBackward ? Math.max(0, end - limit) : indexOf(afterId) + 1
  const data = all.slice(start, Math.min(end, start + limit))
  return {
    data,
    has_more: isBackward ? start > 0 : start + limit < all.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

/** Returns one model or agent in Anthropic's format. Throws openai.model_not_found. */
export const getModelInfo = async (
  deps: Pick<OpenAiDependencies, 'models' | 'agents'>,
  sender: Sender,
  name: string,
) => viewModel(await getModel(deps, sender, name))

const viewModel = ({ id, created }: { id: string; created: number }) => ({
  type: 'model' as const,
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
})

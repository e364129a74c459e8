import { asc, eq } from '#database/drizzle.ts'
import { agents } from '#database/schema/agents.ts'
import { fail } from '#errors'
import type { Sender } from '../agents/index.ts'
import type { OpenAiDependencies } from './generate.ts'
import type { ModelList } from './model-schemas.ts'

const AGENTS_MAX = 200

type Dependencies = Pick<OpenAiDependencies, 'models' | 'agents'>
type Model = ModelList['data'][number]

/**
 * Lists the valid values of `model`: model names, then agent names. Lists duplicate names once, as the model or agent
 * that the name resolves to.
 */
export async function listModels(deps: Dependencies, sender: Sender): Promise<ModelList> {
  return { object: 'list', data: (await findNamed(deps, sender)).map(({ model }) => model) }
}

/** Returns the listed model or agent with this name or id. Throws openai.model_not_found. */
export async function getModel(deps: Dependencies, sender: Sender, name: string): Promise<Model> {
  const named = await findNamed(deps, sender)
  const found = named.find(({ model }) => model.id === name) ?? named.find(({ id }) => id === name)
  if (!found) throw fail('openai.model_not_found', { value: name })
  return { ...found.model, id: name }
}

async function findNamed(
  { models, agents: finder }: Dependencies,
  { scope, deployment }: Sender,
): Promise<{ id: string; model: Model }[]> {
  if (deployment) {
    const { id, name } = await finder.find(scope.organizationId, deployment.agentId)
    return [viewNamed(id, name, 'agent')]
  }
  const usable = await models.listUsable(scope)
  const own = scope.holds('agent:execute')
    ? await scope.select(agents, {
        where: eq(agents.isActive, true),
        orderBy: [asc(agents.id)],
        limit: AGENTS_MAX,
      })
    : []
  const named = [
    ...usable.map(({ id, name, provider }) => viewNamed(id, name, provider)),
    ...own.map(({ id, name }) => viewNamed(id, name, 'agent')),
  ]
  return [...new Map(named.reverse().map((one) => [one.model.id, one])).values()].reverse()
}

const viewNamed = (id: string, name: string, ownedBy: string) => ({
  id,
  model: { id: name, object: 'model' as const, created: createdOf(id), owned_by: ownedBy },
})

/**
 * Returns the Unix time in seconds at which a UUIDv7 was created. The id starts with the time in milliseconds (RFC
 * 9562, 5.7).
 */
const createdOf = (id: string): number =>
  Math.floor(Number.parseInt(id.replace('-', '').slice(0, 12), 16) / 1000)

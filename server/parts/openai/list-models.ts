import { asc, eq } from '#database/drizzle.ts'
import { agents } from '#database/schema/agents.ts'
import type { Sender } from '../agents/index.ts'
import type { OpenAiDependencies } from './generate.ts'
import type { ModelList } from './schemas.ts'

const AGENTS_MAX = 200

/**
 * Lists the valid values of `model`: model names, then agent names. Lists duplicate names once, as the model or agent
 * that the name resolves to.
 */
export async function listModels(
  { models, agents: finder }: Pick<OpenAiDependencies, 'models' | 'agents'>,
  { scope, deployment }: Sender,
): Promise<ModelList> {
  if (deployment) {
    const { id, name } = await finder.find(scope.organizationId, deployment.agentId)
    return { object: 'list', data: [viewNamed(name, 'agent', createdOf(id))] }
  }
  const usable = await models.listUsable(scope.organizationId)
  const own = scope.holds('agent:execute')
    ? await scope.select(agents, {
        where: eq(agents.isActive, true),
        orderBy: [asc(agents.id)],
        limit: AGENTS_MAX,
      })
    : []
  const named = [
    ...usable.map(({ id, name, provider }) => viewNamed(name, provider, createdOf(id))),
    ...own.map(({ id, name }) => viewNamed(name, 'agent', createdOf(id))),
  ]
  return {
    object: 'list',
    data: [...new Map(named.reverse().map((one) => [one.id, one])).values()].reverse(),
  }
}

const viewNamed = (id: string, ownedBy: string, created: number) => ({
  id,
  object: 'model' as const,
  created,
  owned_by: ownedBy,
})

/**
 * Returns the Unix time in seconds at which a UUIDv7 was created. The id starts with the time in milliseconds (RFC
 * 9562, 5.7).
 */
const createdOf = (id: string): number =>
  Math.floor(Number.parseInt(id.replace('-', '').slice(0, 12), 16) / 1000)

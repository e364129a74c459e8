import { AppError, fail } from '#errors'
import { type Agents, findTarget, type Sender, type Target } from '../agents/index.ts'
import type { ModelFinder } from '../llm/index.ts'

/**
 * Finds the model with this name or id, or else the agent. For a deployment's key, always returns the deployment's
 * agent. Throws openai.model_not_found, llm.cannot_chat, and the errors of ModelFinder.findNamed and
 * Agents.findNamed.
 */
export async function findNamedTarget(
  deps: { models: ModelFinder; agents: Agents },
  { scope, deployment }: Sender,
  name: string,
): Promise<Target> {
  const { models, agents } = deps
  if (deployment) return findTarget(deps, scope, { agentId: deployment.agentId })
  const { organizationId } = scope
  const model = await unlessUnknown(models.findNamed(organizationId, name))
  if (model) {
    if (!model.capabilities.includes('text')) throw fail('llm.cannot_chat')
    return { model, agent: null }
  }
  const agent = scope.holds('agent:execute')
    ? await unlessUnknown(agents.findNamed(organizationId, name))
    : undefined
  if (!agent) throw fail('openai.model_not_found', { value: name })
  return { model: agent.model, agent }
}

const unlessUnknown = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof AppError && UNKNOWN.includes(error.code)) return undefined
    throw error
  })

const UNKNOWN: readonly string[] = ['llm.not_found', 'agent.not_found']

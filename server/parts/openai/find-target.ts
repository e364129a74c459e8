import { AppError, fail } from '#errors'
import type { OpenDeployment, Scope } from '#platform/access/scope.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { Agents, ReadyAgent } from '../agents/index.ts'
import type { ModelFinder, ResolvedModel } from '../llm/index.ts'

/** Who calls: somebody with a token or key of his own, or with a deployment's. */
export interface OpenAiCaller {
  scope: Scope<'chats:write'>
  deployment: OpenDeployment | null
}

/** What answers, and who pays. */
export interface Target {
  model: ResolvedModel
  /** Null: the model alone. */
  agent: ReadyAgent | null
  payer: Payer
}

/**
 * What a name stands for: a model's name or id, else an agent's; with a deployment's key its agent, whatever is named.
 * Throws openai.model_not_found, llm.cannot_chat, and what finding a model or an agent throws.
 */
export async function findTarget(
  { models, agents }: { models: ModelFinder; agents: Agents },
  { scope, deployment }: OpenAiCaller,
  name: string,
): Promise<Target> {
  const { organizationId, userId, apiKeyId } = scope
  if (deployment) {
    const agent = await agents.find(organizationId, deployment.agentId)
    const payer = { organizationId, userId, apiKeyId, agentId: agent.id, deploymentId: deployment.id }
    return { model: agent.model, agent, payer }
  }
  const model = await unlessUnknown(models.findNamed(organizationId, name))
  if (model) {
    if (!model.capabilities.includes('text')) throw fail('llm.cannot_chat')
    return { model, agent: null, payer: { organizationId, userId, apiKeyId } }
  }
  const agent = scope.holds('agent:execute')
    ? await unlessUnknown(agents.findNamed(organizationId, name))
    : undefined
  if (!agent) throw fail('openai.model_not_found', { model: name })
  return {
    model: agent.model,
    agent,
    payer: { organizationId, userId, apiKeyId, agentId: agent.id, hidesModel: agent.isForeign },
  }
}

const unlessUnknown = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof AppError && UNKNOWN.includes(error.code)) return undefined
    throw error
  })

const UNKNOWN: readonly string[] = ['llm.not_found', 'agent.not_found']

import { fail } from '#errors'
import type { OpenDeployment, Scope } from '#platform/access/scope.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import type { ModelFinder, ResolvedModel } from '../llm/index.ts'
import type { ReadyAgent } from './find-agents-system.ts'

/** The author of a message: a member, or a deployment on behalf of a visitor or of the holder of its key. */
export interface Sender {
  scope: Scope<'chats:write'> | Scope<'conversation:write'>
  deployment: OpenDeployment | null
}

/**
 * The model or agent that replies to a message. Contains secrets and functions, so it must not be stored. Store the
 * id and look up the target again.
 */
export interface Target {
  model: ResolvedModel
  /** The agent that replies. Null if the model replies without an agent. */
  agent: ReadyAgent | null
}

export type TargetId = { modelId: string } | { agentId: string }

interface TargetDependencies {
  models: Pick<ModelFinder, 'find'>
  agents: { find(organizationId: string, agentId: string): Promise<ReadyAgent> }
}

/**
 * Finds a model or agent that the sender may use. Throws access.missing_permission for an agent that the sender may
 * not use, and the errors of `ModelFinder.find` and `Agents.find`.
 */
export async function findTarget(
  { models, agents }: TargetDependencies,
  scope: Sender['scope'],
  id: TargetId,
): Promise<Target> {
  if ('modelId' in id) return { model: await models.find(scope.organizationId, id.modelId), agent: null }
  if (!scope.holds('agent:execute')) throw fail('access.missing_permission', { permission: 'agent:execute' })
  const agent = await agents.find(scope.organizationId, id.agentId)
  return { model: agent.model, agent }
}

/** Returns the payer of a reply. The sender's organization pays, even for an agent of another organization. */
export const payerOf = (
  { organizationId, userId, apiKeyId }: Pick<Payer, 'organizationId' | 'userId' | 'apiKeyId'>,
  agent: ReadyAgent | null,
  deployment: OpenDeployment | null,
): Payer => ({
  organizationId,
  userId,
  apiKeyId,
  agentId: agent?.id ?? null,
  deploymentId: deployment?.id ?? null,
  hidesModel: agent?.isForeign ?? false,
})

import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { Payer } from '#platform/ledger/ledger.ts'
import { withDailyMessage } from '#platform/limits/daily-messages.ts'
import type { ModelRequest, ModelSink } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import {
  type Agents,
  FOREIGN_FAILED,
  payerOf,
  type ReadyAgent,
  type Sender,
  type Target,
} from '../agents/index.ts'
import type { ModelFinder, Outcome, PaidCalls, Preparation } from '../llm/index.ts'
import { findNamedTarget } from './find-target.ts'

export interface OpenAiDependencies {
  services: Pick<Services, 'net'>
  models: ModelFinder
  agents: Agents
  calls: PaidCalls
}

export interface Generation {
  id: string
  /** Unix time in seconds. */
  created: number
  ended: Promise<Outcome>
}

/**
 * Generates an answer by the named target: a model, which may return calls of the client's tools, or an agent,
 * which calls its own. Charged like any call (contract, 6); the signal aborts it. Throws the errors of admission.
 */
export async function generate(
  deps: OpenAiDependencies,
  sender: Sender,
  name: string,
  original: ModelRequest,
  sink: Pick<ModelSink, 'text'> & Partial<ModelSink>,
  signal: AbortSignal,
): Promise<Generation> {
  const { scope, deployment } = sender
  const { model, agent } = await findNamedTarget(deps, sender, name)
  checkVision(model, original)
  const payer = payerOf(scope, agent, deployment)
  // An agent's tool calls are not shown.
  const visibleSink = agent && hasTools(agent) ? { ...sink, toolCall: () => {} } : sink
  const { ended } = await withDailyMessage(deployment, async () => {
    const request = agent ? await asAgent(deps, payer, agent, original) : original
    return deps.calls.begin(payer, model, request, visibleSink, signal)
  })
  return {
    id: newId(),
    created: Math.floor(Date.now() / 1000),
    ended: agent?.isForeign ? ended.then(withoutReason) : ended,
  }
}

/** Hides the model of another organization's agent, and why it failed. */
const withoutReason = (outcome: Outcome): Outcome =>
  outcome.error === null ? outcome : { ...outcome, error: FOREIGN_FAILED }

function checkVision(model: Target['model'], { messages }: ModelRequest): void {
  const hasImage = messages.some(
    (message) =>
      message.role === 'user' && typeof message.content !== 'string' && message.content.some(isImage),
  )
  if (hasImage && !model.capabilities.includes('vision')) throw fail('llm.cannot_see')
}

const isImage = ({ type }: { type: string }): boolean => type === 'image'

const hasTools = ({ tools, sharedToolsBytes }: ReadyAgent): boolean =>
  tools.length > 0 || sharedToolsBytes > 0

/** An agent calls only its own tools, never the client's. */
async function asAgent(
  { agents }: OpenAiDependencies,
  payer: Payer,
  agent: ReadyAgent,
  original: ModelRequest,
): Promise<Preparation> {
  if (original.tools && hasTools(agent)) throw fail('openai.agent_has_tools')
  return agents.prepare(agent, payer, original)
}

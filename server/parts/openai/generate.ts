import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import { reserveDailyMessage } from '#platform/limits/daily-messages.ts'
import type { ModelRequest, ModelSink } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { type Agents, FOREIGN_FAILED, type ReadyAgent } from '../agents/index.ts'
import type { ModelFinder, Outcome, PaidCalls, Preparation } from '../llm/index.ts'
import { findTarget, type OpenAiCaller, type Target } from './find-target.ts'

export interface OpenAiDependencies {
  services: Pick<Services, 'net'>
  models: ModelFinder
  agents: Agents
  calls: PaidCalls
}

export interface Generation {
  id: string
  /** Seconds since 1970. */
  created: number
  ended: Promise<Outcome>
}

/**
 * Has what is named answer a conversation: a model, which may ask the client to call its tools, or an agent, which
 * calls its own. Paid like any call (contract, 6); a signal ends it where it is. Throws what refuses it before it begins.
 */
export async function generate(
  deps: OpenAiDependencies,
  caller: OpenAiCaller,
  name: string,
  original: ModelRequest,
  sink: Pick<ModelSink, 'text'> & Partial<ModelSink>,
  signal: AbortSignal,
): Promise<Generation> {
  const target = await findTarget(deps, caller, name)
  checkVision(target, original)
  // What an agent calls is its own business.
  const visibleSink = target.agent && hasTools(target.agent) ? { ...sink, toolCall: () => {} } : sink
  const begin = async () => {
    const request = target.agent ? await asAgent(deps, target, target.agent, original) : original
    return deps.calls.begin(target.payer, target.model, request, visibleSink, signal)
  }
  const { ended } = await (caller.deployment ? withDailyMessage(caller.deployment, begin) : begin())
  return {
    id: newId(),
    created: Math.floor(Date.now() / 1000),
    ended: target.agent?.isForeign ? ended.then(withoutReason) : ended,
  }
}

/** A message of those that a deployment may take today, before anything is paid for it; given back where it is refused. */
async function withDailyMessage<Begun>(
  deployment: OpenDeployment,
  begin: () => Promise<Begun>,
): Promise<Begun> {
  const dailyMessage = await reserveDailyMessage(deployment)
  try {
    return await begin()
  } catch (error) {
    await dailyMessage.release()
    throw error
  }
}

/** Of the model of somebody else's agent nobody hears here, nor why it failed. */
const withoutReason = (outcome: Outcome): Outcome =>
  outcome.error === null ? outcome : { ...outcome, error: FOREIGN_FAILED }

function checkVision({ model }: Target, { messages }: ModelRequest): void {
  const hasImage = messages.some(
    (message) =>
      message.role === 'user' && typeof message.content !== 'string' && message.content.some(isImage),
  )
  if (hasImage && !model.capabilities.includes('vision')) throw fail('llm.cannot_see')
}

const isImage = ({ type }: { type: string }): boolean => type === 'image'

const hasTools = ({ tools, sharedToolsBytes }: ReadyAgent): boolean =>
  tools.length > 0 || sharedToolsBytes > 0

/** An agent calls its own tools, and nobody else's. */
async function asAgent(
  { agents }: OpenAiDependencies,
  { payer }: Target,
  agent: ReadyAgent,
  original: ModelRequest,
): Promise<Preparation> {
  if (original.tools && hasTools(agent)) throw fail('openai.agent_has_tools')
  return agents.prepare(agent, payer, original)
}

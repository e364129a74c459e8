import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { Payer } from '#platform/ledger/ledger.ts'
import { withDailyMessage } from '#platform/limits/daily-messages.ts'
import { partsOf } from '#platform/models/payable-usage.ts'
import type { ModelRequest, ModelSink, Provider } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import {
  type Agents,
  FOREIGN_FAILED,
  payerOf,
  type ReadyAgent,
  type Sender,
  type Target,
} from '../agents/index.ts'
import type { CallSink, ModelFinder, Outcome, PaidCalls, UnpreparedRequest } from '../llm/index.ts'
import { findNamedTarget } from './find-target.ts'
import { type FieldNames, reviewParameters } from './review-parameters.ts'

export interface OpenAiDependencies {
  services: Pick<Services, 'draining' | 'net' | 'documents' | 'config' | 'storage' | 'uploads'>
  models: ModelFinder
  agents: Agents
  calls: PaidCalls
}

export interface Generation {
  id: string
  /** Time of the generation, as Unix time in seconds. */
  created: number
  ended: Promise<Outcome>
  /** The model that answers: the requested name, or the name of the member if a route was requested. */
  model: string
  /** Names of the request's hints that the provider ignores. */
  ignored: readonly string[]
}

/** The call of a model or agent by its name, and the names of the request's fields. */
export interface NamedCall {
  name: string
  request: ModelRequest
  fields?: FieldNames
}

/**
 * Time after which the response of a stream begins, even if the model has produced nothing yet. Until then, a failure
 * of the model has its own status, so that clients can retry. Longer than the waits for a busy provider's Retry-After,
 * which are at most two of 10 seconds, and shorter than the time after which proxies close a silent connection.
 */
const SILENCE_MS = 25_000

/**
 * Generates a reply by the named model or agent. A model may return calls of the client's tools; an agent runs its
 * own tools. Charged like any model call (docs/billing.md). `signal` aborts the call. Resolves when the model has begun
 * its reply. Rejects if the call isn't admitted, for example with billing.insufficient_credits, or fails before its
 * first output.
 */
export async function generate(
  deps: OpenAiDependencies,
  sender: Sender,
  { name, request: original, fields }: NamedCall,
  sink: Pick<ModelSink, 'text'> & Partial<ModelSink>,
  signal: AbortSignal,
): Promise<Generation> {
  const { scope, deployment } = sender
  const { model, agent } = await findNamedTarget(deps, sender, name)
  checkParts(model, name, original)
  const ignored = reviewParameters(model, name, original, fields)
  const payer = payerOf(scope, agent, deployment)
  const begun = Promise.withResolvers<void>()
  const visibleSink: CallSink = {
    text(text, logprobs) {
      begun.resolve()
      sink.text(text, logprobs)
    },
    refusal(text) {
      begun.resolve()
      if (sink.refusal) sink.refusal(text)
      else sink.text(text)
    },
    reasoning(text) {
      begun.resolve()
      sink.reasoning?.(text)
    },
    toolCall(call) {
      begun.resolve()
      // Hides an agent's tool calls from the client.
      if (!agent || !hasTools(agent)) sink.toolCall?.(call)
    },
    thought(block) {
      // A thinking block would reveal the provider of an agent's model.
      if (!agent) sink.thought?.(block)
    },
  }
  const call = await withDailyMessage(deployment, async () => {
    const request = agent ? await asAgent(deps, payer, agent, original) : original
    return deps.calls.begin(payer, model, request, visibleSink, signal)
  })
  const ended = agent?.isForeign ? call.ended.then(withoutReason) : call.ended
  const silence = setTimeout(begun.resolve, SILENCE_MS)
  const outcome = await Promise.race([begun.promise, ended])
  clearTimeout(silence)
  if (outcome?.failure) throw outcome.failure
  const answering = call.member()
  const answers = agent || answering.id === model.id ? name : answering.name
  return { id: newId(), created: Math.floor(Date.now() / 1000), model: answers, ended, ignored }
}

/** Replaces the failure of another organization's agent, which could reveal the agent's model. */
const withoutReason = (outcome: Outcome): Outcome =>
  outcome.failure ? { ...outcome, failure: fail('llm.failed', { reason: FOREIGN_FAILED.message }) } : outcome

function checkParts(
  { capabilities, members }: Target['model'],
  name: string,
  { messages }: ModelRequest,
): void {
  const types = new Set(partsOf(messages).map(({ type }) => type))
  if (types.has('image') && !capabilities.includes('vision')) throw fail('llm.cannot_see')
  if (types.has('audio') && !members.every(({ target }) => HEARS.includes(target.provider)))
    throw fail('openai.parameter_refused', { field: 'input_audio', model: name })
}

/** Providers that accept audio in messages. */
const HEARS: readonly Provider[] = ['openai', 'openai-compatible', 'google']

const hasTools = ({ tools, sharedToolsBytes }: ReadyAgent): boolean =>
  tools.length > 0 || sharedToolsBytes > 0

/**
 * Prepares the request for an agent. Throws openai.agent_has_tools if the request defines tools and the agent has
 * tools of its own.
 */
async function asAgent(
  { agents }: OpenAiDependencies,
  payer: Payer,
  agent: ReadyAgent,
  original: ModelRequest,
): Promise<UnpreparedRequest> {
  if (original.tools && hasTools(agent)) throw fail('openai.agent_has_tools')
  return agents.prepare(agent, payer, original)
}

import type { AppError } from '#errors'
import type { ModelSink } from '#platform/models/types.ts'
import type { Sender } from '../agents/index.ts'
import type { Outcome } from '../llm/index.ts'
import { type Generation, generate, type NamedCall, type OpenAiDependencies } from './generate.ts'

/** Replies to one request. `first` is the generation by which the whole completion is named. */
export interface Choices {
  first: Generation
  /** The outcome of each reply, by its index. Never rejects. */
  ended: Promise<Outcome>[]
  /** Resolves when all replies have ended, with the failure that ended the others. */
  failure: Promise<AppError | null>
}

/**
 * Generates a reply per sink, each as a call of its own that is charged. If one fails, the others are aborted. Throws the
 * errors of `generate`.
 */
export async function generateChoices(
  deps: OpenAiDependencies,
  sender: Sender,
  call: NamedCall,
  sinks: readonly [ModelSink, ...ModelSink[]],
  signal: AbortSignal,
): Promise<Choices> {
  const failed = new AbortController()
  const bounded = sinks.length === 1 ? signal : AbortSignal.any([signal, failed.signal])
  const begun = sinks.map((sink) => generate(deps, sender, call, sink, bounded))
  const generations = await Promise.all(begun).catch((error: unknown) => {
    failed.abort()
    throw error
  })
  let failure: AppError | null = null
  const ended = generations.map(async (generation) => {
    const outcome = await generation.ended
    if (outcome.failure && !failure) {
      failure = outcome.failure
      failed.abort()
    }
    return outcome
  })
  const [first] = generations as [Generation, ...Generation[]]
  return { first, ended, failure: Promise.all(ended).then(() => failure) }
}

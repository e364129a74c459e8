import { ModelError, type ModelTarget, type ModelUsage } from '#platform/models/types.ts'
import type { Metrics } from './metrics.ts'
import { NAMES, OPERATIONS, PROVIDER_NAMES } from './names.ts'
import type { Tracing } from './tracing.ts'

/** Measures calls of models and tools, and records spans for them, without their content. */
export interface ModelWatch {
  /** Runs and observes a model call. The call ends when `work` ends. */
  call<R>(kind: CallKind, target: ModelTarget, work: (call: ModelCall) => Promise<R>): Promise<R>
  /** Runs and observes a tool call. Omitted if tracing is off. */
  tool?: <R extends { successful: boolean }>(name: string, work: () => Promise<R>) => Promise<R>
}

export type CallKind = 'chat' | 'embeddings' | 'image' | 'video' | 'transcription' | 'speech'

export interface ModelCall {
  /** To be called when the model's first output arrives. */
  hasBegun(): void
  ended(result: { usage: ModelUsage | null; finishReason?: string }): void
}

/** A watch that observes nothing. */
export const UNWATCHED: ModelWatch = { call: (_kind, _target, work) => work({ hasBegun() {}, ended() {} }) }

export function watchModels(
  { firstToken, modelCalls, modelSeconds, modelLabels }: Metrics,
  tracing: Tracing | null,
): ModelWatch {
  /** Measures a call. `begun` receives the seconds until its first output. */
  async function measure<R>(
    target: ModelTarget,
    work: (hasBegun: () => void) => Promise<R>,
    begun: (seconds: number) => void = () => {},
  ): Promise<R> {
    const labels = modelLabels.of(target)
    const begin = performance.now()
    const seconds = () => (performance.now() - begin) / 1000
    let outcome = 'ok'
    try {
      return await work(() => {
        firstToken.observe(labels, seconds())
        begun(seconds())
      })
    } catch (error) {
      outcome = outcomeOf(error)
      throw error
    } finally {
      modelCalls.inc({ ...labels, outcome })
      modelSeconds.observe(labels, seconds())
    }
  }
  if (!tracing)
    return {
      call: (_kind, target, work) => measure(target, (hasBegun) => work({ hasBegun, ended() {} })),
    }
  return {
    call: (kind, target, work) =>
      tracing.span(describeCall(kind, target), (span) => {
        const ofCall = (hasBegun: () => void): ModelCall => ({
          hasBegun,
          ended: ({ usage, finishReason }) =>
            span.set({
              ...(usage && {
                [NAMES.inputTokens]: usage.inputTokens,
                [NAMES.outputTokens]: usage.outputTokens,
              }),
              ...(finishReason && { [NAMES.finishReasons]: [finishReason] }),
            }),
        })
        const begun = (seconds: number) => span.set({ [NAMES.firstToken]: seconds })
        return measure(target, (hasBegun) => work(ofCall(hasBegun)), begun)
      }),
    async tool(name, work) {
      const attributes = { [NAMES.operation]: OPERATIONS.tool, [NAMES.toolName]: name }
      const span = tracing.begin({ name: `${OPERATIONS.tool} ${name}`, attributes })
      try {
        const outcome = await span.within(work)
        span.end(outcome.successful ? undefined : 'tool_failed')
        return outcome
      } catch (error) {
        span.end(error)
        throw error
      }
    },
  }
}

/** Returns why a call ended: a FailureKind, `timeout`, `no_connection`, or `aborted` by the caller or a shutdown. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof ModelError)) return 'aborted'
  if (error.code.startsWith('model.timeout')) return 'timeout'
  return error.code === 'net.busy' ? 'no_connection' : error.kind
}

function describeCall(kind: CallKind, { provider, model, baseUrl }: ModelTarget) {
  const operation = kind === 'chat' || kind === 'embeddings' ? OPERATIONS[kind] : OPERATIONS.media
  const address = URL.parse(baseUrl)
  return {
    name: `${operation} ${model}`,
    kind: 'client' as const,
    attributes: {
      [NAMES.operation]: operation,
      [NAMES.provider]: PROVIDER_NAMES[provider] ?? provider,
      [NAMES.requestModel]: model,
      ...(kind !== 'embeddings' && { [NAMES.outputType]: OUTPUT_TYPES[kind] }),
      ...(address?.hostname && { [NAMES.serverAddress]: address.hostname }),
      ...(address?.port && { [NAMES.serverPort]: Number(address.port) }),
    },
  }
}

const OUTPUT_TYPES = { chat: 'text', transcription: 'text', image: 'image', video: 'video', speech: 'speech' }

import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, fail, sentence } from '#errors'
import { deferToAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import { countTokens, type RunnableTool, ToolLoop, type ToolSink } from '#platform/models/index.ts'
import {
  type EmbeddingPurpose,
  ModelError,
  type ModelRequest,
  type ModelResult,
  type ModelUsage,
  type Recording,
  type Transcription,
} from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { countTokensPaid } from '#platform/telemetry/metrics.ts'
import type { ResolvedModel } from './find-model.ts'

const SETTLE_ATTEMPTS = 5
/** Assumed bytes per second of recordings without a reported length, such as those of browsers. */
const RECORDING_BYTES_PER_SECOND = 16_000
/** Caps the duration that a provider reports. */
const RECORDING_SECONDS_MAX = 24 * 60 * 60
const ENDED_EARLY = sentence('llm.ended_early')
const UNEXPECTED = sentence('llm.broke')

/** A transcription with its charged seconds. */
export type Transcribed = Transcription & { durationSeconds: number }

/** Outcome of a call: the complete content or an error for the user, and the charged usage (null for none). */
export interface Outcome {
  error: string | null
  content: string
  usage: ModelUsage | null
  /** Null after a failure. */
  finishReason: ModelResult['finishReason'] | null
}

/** Receives the stream of a call. */
export type CallSink = Pick<ToolSink, 'text'> & Partial<ToolSink>

/**
 * Prepares the request and tools after admission, because that may take time. An expected error ends the call
 * with its message and without charge.
 */
export type Preparation = (signal: AbortSignal) => Promise<Prepared>

interface Prepared {
  request: ModelRequest
  /** Tools that the model may use before it answers; tools in the request itself are called by the client. */
  tools?: readonly RunnableTool[]
}

/** A call that the server makes on its own initiative. */
export interface OwnCall {
  /** Reason recorded in the ledger. */
  reason: string
  /** Fails the call when aborted; before the first token, nothing is charged. */
  deadline: AbortSignal
}

/**
 * Charged model calls outside chat replies: one credit is held before a call, and the usage is debited after. A
 * call that fails before its first token is free (contract, 6).
 */
export class PaidCalls {
  readonly #services: Pick<Services, 'ledger' | 'models' | 'metrics' | 'log'>
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #shutdown = new AbortController()

  constructor(services: Pick<Services, 'ledger' | 'models' | 'metrics' | 'log'>) {
    this.#services = services
  }

  /**
   * Starts a call in the background. The sink receives its stream, and `ended`, which never rejects, its outcome.
   * The signal aborts the call with its tools; usage until then is charged. `own` describes a call that the
   * server makes on its own initiative. Throws billing.insufficient_credits.
   */
  async begin(
    payer: Payer,
    model: ResolvedModel,
    request: ModelRequest | Preparation,
    sink: CallSink,
    signal?: AbortSignal,
    own?: OwnCall,
  ): Promise<{ ended: Promise<Outcome> }> {
    const holdId = await this.#services.ledger.hold(payer, model, own?.reason)
    const prepare = typeof request === 'function' ? request : async () => ({ request })
    return { ended: this.#track(holdId, this.#run(holdId, model, prepare, sink, signal, own)) }
  }

  /**
   * Transcribes a recording, charged by seconds. Throws billing.insufficient_credits, and llm.failed with the
   * reason if the provider fails, without charge.
   */
  async transcribe(
    payer: Payer,
    model: ResolvedModel,
    recording: Recording,
    language: string,
  ): Promise<Transcribed> {
    const { id, secondsRatio } = model
    const price = { id, inputRatio: secondsRatio, outputRatio: 0 }
    const holdId = await this.#services.ledger.hold(payer, price)
    return this.#track(holdId, this.#transcribe(holdId, model, recording, language))
  }

  /**
   * Returns vectors of texts and the charged usage. Throws billing.insufficient_credits; after a failure, a
   * ModelError or the signal's reason, without charge. If the caller leaves (`left`), the call is aborted and
   * texts already sent to the provider are charged.
   */
  async embed(
    payer: Payer,
    model: ResolvedModel,
    texts: string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    left?: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; usage: ModelUsage }> {
    const holdId = await this.#services.ledger.hold(payer, model)
    return this.#track(holdId, this.#embed(holdId, model, texts, purpose, signal, left))
  }

  /** Returns the hold ids of the calls in progress. */
  holdIds(): string[] {
    return [...this.#underWay.keys()]
  }

  /**
   * Waits up to `graceMs` milliseconds for calls to finish, including calls that `callers` start until they
   * settle, then aborts them.
   */
  async close(graceMs: number, callers: Promise<unknown>): Promise<void> {
    const all = callers.then(() => Promise.allSettled(this.#underWay.values()))
    await Promise.race([all, sleep(graceMs, undefined, { ref: false })])
    this.#shutdown.abort()
    await all
  }

  #track<Result>(holdId: string, call: Promise<Result>): Promise<Result> {
    const forget = (): void => {
      // The entry is replaced if the settlement is deferred.
      if (this.#underWay.get(holdId) === call) this.#underWay.delete(holdId)
    }
    this.#underWay.set(holdId, call)
    call.then(forget, forget)
    return call
  }

  async #transcribe(
    holdId: string,
    model: ResolvedModel,
    recording: Recording,
    language: string,
  ): Promise<Transcribed> {
    try {
      const signal = this.#shutdown.signal
      const said = await this.#services.models.transcribe(model.target, recording, { language }, signal)
      const durationSeconds = Math.min(
        said.durationSeconds ?? (await stat(recording.path)).size / RECORDING_BYTES_PER_SECOND,
        RECORDING_SECONDS_MAX,
      )
      const seconds = Math.ceil(durationSeconds)
      await this.#settle(holdId, { inputTokens: seconds, outputTokens: 0 }, `transcription of ${seconds} s`)
      return { ...said, durationSeconds }
    } catch (error) {
      const reason = error instanceof ModelError ? error.message : UNEXPECTED
      await this.#settle(holdId, null, reason)
      throw fail('llm.failed', { reason }, { cause: error })
    }
  }

  async #embed(
    holdId: string,
    model: ResolvedModel,
    texts: string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    left: AbortSignal | undefined,
  ): Promise<{ vectors: Float32Array[]; usage: ModelUsage }> {
    const sent: string[] = []
    const reason = `embedding of ${texts.length} ${texts.length === 1 ? 'text' : 'texts'}`
    try {
      const bounded = AbortSignal.any([signal, this.#shutdown.signal, ...(left ? [left] : [])])
      const sending = (some: readonly string[]): void => void sent.push(...some)
      const { vectors, usage } = await this.#services.models.embed(
        model.target,
        texts,
        purpose,
        bounded,
        sending,
      )
      const reported = model.trustsUsage ? usage : null
      const paid = reported ?? (await countTexts(texts))
      await this.#settle(holdId, paid, reason)
      return { vectors, usage: paid }
    } catch (error) {
      const wasLeft = left?.aborted === true
      const paid = wasLeft && sent.length > 0 ? await countTexts(sent) : null
      const failure = error instanceof ModelError ? error.message : UNEXPECTED
      await this.#settle(holdId, paid, wasLeft ? ENDED_EARLY : failure)
      throw error
    }
  }

  async #run(
    holdId: string,
    model: ResolvedModel,
    prepare: Preparation,
    sink: CallSink,
    signal: AbortSignal | undefined,
    own: OwnCall | undefined,
  ): Promise<Outcome> {
    const { log, models } = this.#services
    let loop: ToolLoop | undefined
    let content = ''
    const takes: ToolSink = {
      text(text) {
        content += text
        sink.text(text)
      },
      reasoning: (text) => sink.reasoning?.(text),
      toolCall: (call) => sink.toolCall?.(call),
      toolStarted: (call) => sink.toolStarted?.(call),
      toolEnded: (call, outcome) => sink.toolEnded?.(call, outcome),
      toolBroke(call, error) {
        log.error({ err: error, model_id: model.id, tool: call.name }, 'a tool broke')
        sink.toolBroke?.(call, error)
      },
    }
    try {
      const ends = [signal, own?.deadline, this.#shutdown.signal].filter((end) => end !== undefined)
      const bounded = AbortSignal.any(ends)
      const { request, tools = [] } = await prepare(bounded)
      const limits = { contextWindow: model.contextWindow, trustsUsage: model.trustsUsage }
      loop = new ToolLoop(models, model.target, request, tools, limits)
      const finishReason = await loop.run(takes, bounded)
      const usage = await loop.payable(false)
      await this.#settle(holdId, usage, own?.reason ?? null)
      return { error: null, content, usage, finishReason }
    } catch (error) {
      const wasEnded = signal?.aborted === true
      const isExpected = error instanceof ModelError || error instanceof AppError
      const failure = wasEnded ? ENDED_EARLY : isExpected ? error.message : UNEXPECTED
      if (!wasEnded)
        log[isExpected ? 'warn' : 'error']({ err: error, model_id: model.id }, 'a model call failed')
      // A caller who aborts pays, because the request was sent.
      const usage = (await loop?.payable(!wasEnded)) ?? null
      await this.#settle(holdId, usage, own?.reason ?? failure)
      return { error: failure, content, usage, finishReason: null }
    }
  }

  /**
   * Settles a hold. With an idempotency key, it commits together with the stored answer. Retries, so that a short
   * database outage does not lose the charge.
   */
  async #settle(...closing: Parameters<Services['ledger']['settle']>): Promise<void> {
    const { ledger, log } = this.#services
    const settled = deferToAnswer(() => ledger.settle(...closing))
    if (settled) {
      const call = settled.then(() => this.#countPaid(closing[1]))
      call.catch(() => {})
      this.#track(closing[0], call)
      return
    }
    const isSettled = await keepTrying(
      SETTLE_ATTEMPTS,
      async () => {
        await ledger.settle(...closing)
        return true
      },
      (error, attempt) =>
        log.error({ err: error, hold_id: closing[0], attempt }, 'a model call could not be settled'),
    )
    if (isSettled) this.#countPaid(closing[1])
  }

  #countPaid(usage: ModelUsage | null): void {
    if (usage) countTokensPaid(this.#services.metrics, usage)
  }
}

const countTexts = async (texts: readonly string[]): Promise<ModelUsage> => ({
  inputTokens: await countTokens(texts.join('\n')),
  outputTokens: 0,
})

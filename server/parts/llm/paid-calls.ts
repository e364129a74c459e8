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
/** A recording that does not tell its length, such as what a browser records, is taken to have so many bytes a second. */
const RECORDING_BYTES_PER_SECOND = 16_000
/** No recording is longer, whatever its provider says. */
const RECORDING_SECONDS_MAX = 24 * 60 * 60
const ENDED_EARLY = sentence('llm.ended_early')
const UNEXPECTED = sentence('llm.broke')

/** What was said, with the seconds that are paid. */
export type Transcribed = Transcription & { durationSeconds: number }

/** How a call has ended: with all that was written, or with a sentence for the user; and what is paid, null: nothing. */
export interface Outcome {
  error: string | null
  content: string
  usage: ModelUsage | null
  /** Null where it has failed. */
  finishReason: ModelResult['finishReason'] | null
}

/** What a call tells of while it is under way. */
export type CallSink = Pick<ToolSink, 'text'> & Partial<ToolSink>

/**
 * Finds out what a model is asked, and with which tools, where that takes its time: once the call is admitted. What it
 * throws as expected is how the call ends, and costs nothing.
 */
export type Preparation = (signal: AbortSignal) => Promise<Prepared>

interface Prepared {
  request: ModelRequest
  /** What the model may use on the way to its answer; the request's own tools are called by whoever asks. */
  tools?: readonly RunnableTool[]
}

/** A call that the server makes on its own. */
export interface OwnCall {
  /** Stands in the ledger with the hold and what closes it. */
  reason: string
  /** Ends the call as a failure: nothing is paid for it before the first token. */
  deadline: AbortSignal
}

/**
 * Calls of models that are no replies in a chat: a credit is held before, the usage debited after, and a call that failed
 * before its first token costs nothing (contract, 6).
 */
export class PaidCalls {
  readonly #services: Pick<Services, 'ledger' | 'models' | 'metrics' | 'log'>
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #shutdown = new AbortController()

  constructor(services: Pick<Services, 'ledger' | 'models' | 'metrics' | 'log'>) {
    this.#services = services
  }

  /**
   * Admits a call, or throws billing.insufficient_credits; then it runs in the background to its end, whoever waits.
   * What comes is told to the sink, and how it ended by `ended`, which never rejects. A signal ends the call, its tools
   * included; what was used by then is paid. `own` describes a call that no caller asked for.
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
   * What is said in a recording, paid by its seconds. Throws billing.insufficient_credits, and llm.failed with the
   * reason where the provider can't do it, which costs nothing.
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
   * Vectors of texts, and the tokens that are paid for them. Throws billing.insufficient_credits; rejects with a
   * ModelError or the signal's reason where there are none to have, which costs nothing. If the caller leaves (`left`),
   * the call ends, and the texts that were sent to the provider are paid.
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

  /** The holds of the calls that are under way. */
  holdIds(): string[] {
    return [...this.#underWay.keys()]
  }

  /** Lets calls go on for a while, also those that `callers` begin until they end, and then ends them where they are. */
  async close(graceMs: number, callers: Promise<unknown>): Promise<void> {
    const all = callers.then(() => Promise.allSettled(this.#underWay.values()))
    await Promise.race([all, sleep(graceMs, undefined, { ref: false })])
    this.#shutdown.abort()
    await all
  }

  #track<Result>(holdId: string, call: Promise<Result>): Promise<Result> {
    const forget = (): void => {
      // It goes on where its settlement waits for an answer.
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
        log[isExpected ? 'warn' : 'error']({ err: error, model_id: model.id }, 'a call of a model failed')
      // Who ends a call himself has had his question sent, and pays for it.
      const usage = (await loop?.payable(!wasEnded)) ?? null
      await this.#settle(holdId, usage, own?.reason ?? failure)
      return { error: failure, content, usage, finishReason: null }
    }
  }

  /**
   * With the answer of the request that has asked, where a repeat of that is to be answered by it. A database that is
   * away for a moment must not cost the bill.
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
        log.error({ err: error, hold_id: closing[0], attempt }, 'a call of a model was not settled'),
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

import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, fail, sentence } from '#errors'
import { deferToAnswer } from '#platform/idempotency/pending-answer.ts'
import { answeredBy, type Payer } from '#platform/ledger/ledger.ts'
import {
  expectedUsage,
  firstToAnswer,
  payableMediaUsage,
  type RunnableTool,
  ToolLoop,
  type ToolSink,
} from '#platform/models/index.ts'
import type {
  EmbeddingPurpose,
  GeneratedMedia,
  ModelRequest,
  ModelResult,
  ModelTarget,
  ModelUsage,
  Recording,
  Speech,
  SpeechRequest,
  Transcription,
} from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { keepTrying, untilFirstFailure } from '#platform/sweeps/keep-trying.ts'
import { logFault } from '#platform/telemetry/log-fault.ts'
import { countTokensPaid } from '#platform/telemetry/metrics.ts'
import type { CallableModel, ResolvedModel } from './find-model.ts'
import { failureOf } from './model-failure.ts'
import { bySecond, byToken, countTexts, lengthOf, longestOf, type Single } from './single-call.ts'

/** Attempts over five minutes. */
const SETTLE_ATTEMPTS = 150
const ENDED_EARLY = sentence('llm.ended_early')

/** A generated image, and the charged usage. */
type PaidImage = GeneratedMedia & { usage: ModelUsage }

/** A transcription, and the charged length of the audio in seconds. */
export type Transcribed = Transcription & { durationSeconds: number }

/**
 * Outcome of a call. `failure` has a message for the user, and is null if the call succeeded. `usage` is the charged
 * usage, or null if nothing was charged.
 */
export interface Outcome {
  failure: AppError | null
  content: string
  /** The whole reasoning, if a part of it was streamed as text. `content` then excludes that part. */
  reasoning?: string
  usage: ModelUsage | null
  /** Why the model stopped. Null if the call failed. */
  finishReason: ModelResult['finishReason'] | null
  /** The stop sequence that ended the reply, if the provider reported it. */
  stopSequence?: string | undefined
  /** The model that answered: the called one, or a member of the called route. Null if the call failed. */
  model: CallableModel | null
}

export type CallSink = Pick<ToolSink, 'text'> & Partial<ToolSink>

/**
 * Prepares the request and the tools. Runs after admission, because it may take long. If an expected error is thrown,
 * the call fails with the error's message and nothing is charged.
 */
export type Preparation = (signal: AbortSignal) => Promise<Prepared>

/** A request that its preparation completes. */
export interface UnpreparedRequest {
  /** The request as far as it is known before the preparation. Budgets reserve its cost. */
  known: ModelRequest
  prepare: Preparation
}

interface Prepared {
  request: ModelRequest
  /** Tools that the server runs during the call. The client runs the tools in `request`. */
  tools?: readonly RunnableTool[]
}

/** A call in progress. Its loop begins after the preparation. */
interface Running {
  model: ResolvedModel
  loop: ToolLoop<CallableModel> | undefined
}

/** A call that no user requested, such as one that generates a title. */
export interface OwnCall {
  /** The reason recorded in the ledger. */
  reason: string
  /** Aborts the call, which then counts as failed. Nothing is charged if no token has arrived. */
  deadline: AbortSignal
}

/**
 * Makes charged model calls outside chat replies. One credit is held before a call, and the usage is debited after
 * it. A call that fails before its first token is free (docs/billing.md).
 */
export class PaidCalls {
  readonly #services: Pick<Services, 'draining' | 'ledger' | 'models' | 'metrics' | 'log'>
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #shutdown = new AbortController()

  constructor(services: Pick<Services, 'draining' | 'ledger' | 'models' | 'metrics' | 'log'>) {
    this.#services = services
  }

  /**
   * Starts a call in the background. `sink` receives the streamed output. `ended` resolves with the outcome and never
   * rejects. If `signal` aborts, the call and its tools are aborted, and the usage until then is charged. Set `own`
   * for a call that no user requested. `member` returns the model that answers, or that is tried now. Throws
   * billing.insufficient_credits.
   */
  async begin(
    payer: Payer,
    model: ResolvedModel,
    request: ModelRequest | UnpreparedRequest,
    sink: CallSink,
    signal?: AbortSignal,
    own?: OwnCall,
  ): Promise<{ ended: Promise<Outcome>; member: () => CallableModel }> {
    const { known, prepare } =
      'prepare' in request ? request : { known: request, prepare: async () => ({ request }) }
    const expect = () => expectedUsage(model.members, known)
    const holdId = await this.#services.ledger.hold(payer, model, expect, own?.reason)
    const running: Running = { model, loop: undefined }
    return {
      ended: this.#track(holdId, this.#run(holdId, running, prepare, sink, signal, own)),
      member: () => running.loop?.member ?? model.members[0],
    }
  }

  /**
   * Transcribes audio, charged by the second. Throws billing.insufficient_credits. If the provider fails, throws
   * the errors of modelFailure and charges nothing.
   */
  async transcribe(
    payer: Payer,
    model: ResolvedModel,
    recording: Recording,
    language?: string,
  ): Promise<Transcribed> {
    const { models } = this.#services
    const options = language === undefined ? {} : { language }
    const { result } = await this.#single(payer, model, {
      priceOf: bySecond,
      expect: async () => ({ inputTokens: Math.ceil(await longestOf(recording)), outputTokens: 0 }),
      call: async (target, signal) => {
        const said = await models.transcribe(target, recording, options, signal)
        return { ...said, durationSeconds: await lengthOf(recording, said.durationSeconds) }
      },
      async charge({ durationSeconds }) {
        const seconds = Math.ceil(durationSeconds)
        return { usage: { inputTokens: seconds, outputTokens: 0 }, reason: `transcription of ${seconds} s` }
      },
    })
    return result
  }

  /**
   * Generates an image. Throws billing.insufficient_credits. If the provider fails, throws the errors of modelFailure
   * and charges nothing.
   */
  async generateImage(payer: Payer, model: ResolvedModel, prompt: string): Promise<PaidImage> {
    const { models } = this.#services
    const { result, usage } = await this.#single(payer, model, {
      priceOf: byToken,
      expect: () => payableMediaUsage(null, 'image', prompt),
      call: (target, signal) => models.generateImage(target, { prompt }, signal),
      charge: async (image, { trustsUsage }) => ({
        usage: await payableMediaUsage(trustsUsage ? image.usage : null, 'image', prompt),
        reason: null,
      }),
    })
    return { ...result, usage }
  }

  /**
   * Speaks a text, charged by its tokens, because providers report no usage. Throws billing.insufficient_credits. If the
   * provider fails, throws the errors of modelFailure and charges nothing.
   */
  async generateSpeech(payer: Payer, model: ResolvedModel, request: SpeechRequest): Promise<Speech> {
    const { models } = this.#services
    const { input, instructions } = request
    const count = () => countTexts(instructions === undefined ? [input] : [input, instructions])
    const { result } = await this.#single(payer, model, {
      priceOf: byToken,
      expect: count,
      call: (target, signal) => models.generateSpeech(target, request, signal),
      charge: async () => ({
        usage: await count(),
        reason: `speech of ${input.length} characters`,
      }),
    })
    return result
  }

  /**
   * Computes embeddings for texts, and returns them with the charged usage. Throws billing.insufficient_credits. If
   * the call fails or `signal` aborts it, rejects with a ModelError or the signal's reason and charges nothing. If
   * `left` aborts because the caller has disconnected, texts already sent to the provider are charged.
   */
  async embed(
    payer: Payer,
    model: ResolvedModel,
    texts: string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    left?: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; usage: ModelUsage }> {
    const holdId = await this.#services.ledger.hold(payer, model, () => countTexts(texts))
    return this.#track(holdId, this.#embed(holdId, model, texts, purpose, signal, left))
  }

  holdIds(): string[] {
    return [...this.#underWay.keys()]
  }

  /**
   * Waits up to `graceMs` milliseconds for calls in progress, then aborts the rest. Includes calls that start before
   * `callers` settles.
   */
  async close(graceMs: number, callers: Promise<unknown>): Promise<void> {
    const all = callers.then(() => Promise.allSettled(this.#underWay.values()))
    await Promise.race([all, sleep(graceMs, undefined, { ref: false })])
    this.#shutdown.abort()
    await all
  }

  #track<Result>(holdId: string, call: Promise<Result>): Promise<Result> {
    const forget = (): void => {
      // If a deferred settlement has replaced the entry, the settlement's own `forget` deletes it.
      if (this.#underWay.get(holdId) === call) this.#underWay.delete(holdId)
    }
    this.#underWay.set(holdId, call)
    call.then(forget, forget)
    return call
  }

  /** Makes a call that returns one result, and charges for it. Throws as the public methods do. */
  async #single<Result extends object>(
    payer: Payer,
    model: ResolvedModel,
    single: Single<Result>,
  ): Promise<{ result: Result; usage: ModelUsage }> {
    const holdId = await this.#services.ledger.hold(payer, single.priceOf(model), single.expect)
    return this.#track(holdId, this.#callSingle(holdId, model, single))
  }

  async #callSingle<Result extends object>(
    holdId: string,
    model: ResolvedModel,
    { priceOf, call, charge }: Single<Result>,
  ): Promise<{ result: Result; usage: ModelUsage }> {
    try {
      const { draining, models } = this.#services
      const { answered, result } = await draining.runSingle((late) => {
        const signal = AbortSignal.any([late, this.#shutdown.signal])
        const callMember = async (target: ModelTarget) => ({ result: await call(target, signal) })
        return firstToAnswer(models.health, model.members, callMember)
      })
      const { usage, reason } = await charge(result, answered)
      const paid = { ...answered, ...priceOf(answered) }
      await this.#settle(paid, holdId, usage, reason, answeredBy(priceOf(model), paid))
      return { result, usage }
    } catch (error) {
      const failure = failureOf(error)
      await this.#settle(model.members[0], holdId, null, failure.message)
      throw failure
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
      // A route has no embeddings, because the vectors of different models cannot be compared.
      const [{ target, trustsUsage }] = model.members
      const { vectors, usage } = await this.#services.models.embed(target, texts, purpose, bounded, sending)
      const reported = trustsUsage ? usage : null
      const paid = reported ?? (await countTexts(texts))
      await this.#settle(model.members[0], holdId, paid, reason)
      return { vectors, usage: paid }
    } catch (error) {
      const wasLeft = left?.aborted === true
      const paid = wasLeft && sent.length > 0 ? await countTexts(sent) : null
      await this.#settle(model.members[0], holdId, paid, wasLeft ? ENDED_EARLY : failureOf(error).message)
      throw error
    }
  }

  async #run(
    holdId: string,
    running: Running,
    prepare: Preparation,
    sink: CallSink,
    signal: AbortSignal | undefined,
    own: OwnCall | undefined,
  ): Promise<Outcome> {
    const { log, models } = this.#services
    const { model } = running
    let content = ''
    const takes: ToolSink = {
      text(text, logprobs) {
        content += text
        sink.text(text, logprobs)
      },
      refusal(text) {
        content += text
        if (sink.refusal) sink.refusal(text)
        else sink.text(text)
      },
      reasoning: (text) => sink.reasoning?.(text),
      toolCall: (call) => sink.toolCall?.(call),
      thought: (block) => sink.thought?.(block),
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
      const loop = new ToolLoop(models, model, request, tools)
      running.loop = loop
      const finishReason = await loop.run(takes, bounded)
      const usage = await loop.payable(false)
      await this.#settle(loop.member, holdId, usage, own?.reason ?? null, answeredBy(model, loop.member))
      return {
        failure: null,
        ...(loop.separated ?? { content }),
        usage,
        finishReason,
        stopSequence: loop.stopSequence,
        model: loop.member,
      }
    } catch (error) {
      const wasEnded = signal?.aborted === true
      const failure = wasEnded ? fail('llm.failed', { reason: ENDED_EARLY }) : failureOf(error)
      const { loop } = running
      const called = loop?.member ?? model.members[0]
      const { provider } = called.target
      if (!wasEnded) logFault(log, error, { model_id: model.id, provider }, 'a model call failed')
      // A caller who aborts is charged, because the request was already sent.
      const usage = (await loop?.payable(!wasEnded)) ?? null
      const reason = own?.reason ?? failure.message
      await this.#settle(called, holdId, usage, reason, answeredBy(model, loop?.member))
      return { failure, content, usage, finishReason: null, model: null }
    }
  }

  /**
   * Settles a hold. For a request with an idempotency key, the settlement commits together with the stored response.
   * Otherwise, waits for the first attempt, and retries in the background, so that an outage of the database neither
   * loses the charge nor delays the response.
   */
  async #settle(paid: CallableModel, ...closing: Parameters<Services['ledger']['settle']>): Promise<void> {
    const { ledger, log } = this.#services
    const settled = deferToAnswer(() => ledger.settle(...closing))
    if (settled) {
      const call = settled.then(() => this.#countPaid(paid, closing[1]))
      call.catch(() => {})
      this.#track(closing[0], call)
      return
    }
    await untilFirstFailure((failed) => {
      const settling = keepTrying(
        SETTLE_ATTEMPTS,
        async () => {
          await ledger.settle(...closing)
          this.#countPaid(paid, closing[1])
        },
        (error, attempt) => {
          logFault(log, error, { hold_id: closing[0], attempt }, 'a model call could not be settled')
          failed()
        },
      )
      return this.#track(closing[0], settling)
    })
  }

  #countPaid(paid: CallableModel, usage: ModelUsage | null): void {
    if (usage) countTokensPaid(this.#services.metrics, usage, paid)
  }
}

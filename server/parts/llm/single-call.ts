import { stat } from 'node:fs/promises'
import type { Expect } from '#platform/ledger/grouped-opening.ts'
import { countTokens } from '#platform/models/index.ts'
import type { ModelTarget, ModelUsage, Recording } from '#platform/models/types.ts'
import type { CallableModel } from './find-model.ts'

type PricedModel = Pick<CallableModel, 'id' | 'inputRatio' | 'outputRatio' | 'secondsRatio'>
type Price = Pick<CallableModel, 'id' | 'inputRatio' | 'outputRatio'>

/** A charged call that returns one result, such as an image. */
export interface Single<Result> {
  /** Returns the price by which a model is charged. */
  priceOf(model: PricedModel): Price
  /** Returns the usage that the call is expected to have. */
  expect: Expect
  call(target: ModelTarget, signal: AbortSignal): Promise<Result>
  /** Returns the usage to charge, and the reason that the ledger records. */
  charge(result: Result, answered: CallableModel): Promise<{ usage: ModelUsage; reason: string | null }>
}

export const byToken = (model: PricedModel): Price => model

/** The price of a model that is charged by the second. */
export const bySecond = ({ id, secondsRatio }: PricedModel): Price => ({
  id,
  inputRatio: secondsRatio,
  outputRatio: 0,
})

/** Returns the usage of a call whose only tokens are those of texts. */
export const countTexts = async (texts: readonly string[]): Promise<ModelUsage> => ({
  inputTokens: await countTokens(texts.join('\n')),
  outputTokens: 0,
})

/** Assumed bytes per second of audio whose length is unknown, such as audio recorded by browsers. */
const RECORDING_BYTES_PER_SECOND = 16_000
/** Fewest bytes per second of speech: 8-bit samples at 8 kHz, or 8 kbit/s if compressed. */
const BYTES_PER_SECOND_MIN = { wav: 8_000, compressed: 1_000 }
/** Upper limit for the audio length that a provider reports. */
const RECORDING_SECONDS_MAX = 24 * 60 * 60

/** Returns the length of a recording in seconds. Estimates it from the size if the provider did not report it. */
export async function lengthOf({ path }: Recording, reported: number | null): Promise<number> {
  const seconds = reported ?? (await stat(path)).size / RECORDING_BYTES_PER_SECOND
  return Math.min(seconds, RECORDING_SECONDS_MAX)
}

/** Returns the seconds that a recording of this size may last. Ignores the length that it states, which may be wrong. */
export async function longestOf({ path, contentType }: Recording): Promise<number> {
  const kind = contentType === 'audio/wav' ? 'wav' : 'compressed'
  return Math.min((await stat(path)).size / BYTES_PER_SECOND_MIN[kind], RECORDING_SECONDS_MAX)
}

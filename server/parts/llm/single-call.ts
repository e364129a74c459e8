import { stat } from 'node:fs/promises'
import type { ModelTarget, ModelUsage, Recording } from '#platform/models/types.ts'
import type { CallableModel } from './find-model.ts'

type PricedModel = Pick<CallableModel, 'id' | 'inputRatio' | 'outputRatio' | 'secondsRatio'>
type Price = Pick<CallableModel, 'id' | 'inputRatio' | 'outputRatio'>

/** A charged call that returns one result, such as an image. */
export interface Single<Result> {
  /** Returns the price by which a model is charged. */
  priceOf(model: PricedModel): Price
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

/** Assumed bytes per second of audio whose length is unknown, such as audio recorded by browsers. */
const RECORDING_BYTES_PER_SECOND = 16_000
/** Upper limit for the audio length that a provider reports. */
const RECORDING_SECONDS_MAX = 24 * 60 * 60

/** Returns the length of a recording in seconds. Estimates it from the size if the provider did not report it. */
export async function lengthOf({ path }: Recording, reported: number | null): Promise<number> {
  const seconds = reported ?? (await stat(path)).size / RECORDING_BYTES_PER_SECOND
  return Math.min(seconds, RECORDING_SECONDS_MAX)
}

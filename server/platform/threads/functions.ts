import { locationsOf } from '../crawler/locations.ts'
import { countPieces } from '../models/count-tokens.ts'

/** The functions that run in threads, because they take more than 10 ms for a long text (bench/loop-times.ts). */
export const FUNCTIONS = { countPieces, locationsOf }

export type Functions = typeof FUNCTIONS
export type Input<Name extends keyof Functions> = Parameters<Functions[Name]>[0]
export type Output<Name extends keyof Functions> = Awaited<ReturnType<Functions[Name]>>

/** A call to a thread. The thread answers each call, one after another. */
export interface ThreadCall {
  name: keyof Functions
  input: unknown
}

export type ThreadAnswer = { output: unknown } | { error: unknown }

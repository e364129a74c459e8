import type { Stage } from './stage.ts'

/** A group of attacks on the running product. */
export interface Row {
  /** Also the name of its file, and of what `--only` takes. */
  name: string
  /** How many cases run on demand and with each commit. A row with a list of attacks takes at most the whole list. */
  cases: { full: number; commit: number }
  run(stage: Stage, options: RunOptions): Promise<Outcome>
  /** Ways to break the defence. The row must fail on each of them. */
  brokenBy: readonly Break[]
}

export interface RunOptions {
  seed: number
  cases: number
}

export interface Outcome {
  cases: number
  /** One line per attack that succeeded. */
  failures: string[]
}

/** One way to break a defence: edits that are applied together. */
export interface Break {
  /** The defence that is gone, in a few words. */
  without: string
  edits: readonly Edit[]
}

export interface Edit {
  /** Relative to the root of the repository. */
  file: string
  /** Stands in the file exactly once. */
  text: string
  replacement: string
}

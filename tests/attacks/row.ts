import type { Stage } from './stage.ts'

/** A group of attacks on the running product. */
export interface Row {
  /** Also the name of its file and the value for `--only`. */
  name: string
  /** The number of cases on demand and per commit. A row with a fixed list of attacks runs at most the whole list. */
  cases: { full: number; commit: number }
  run(stage: Stage, options: RunOptions): Promise<Outcome>
  /** Ways to break the defense. The row must fail on each of them. */
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

/** One way to break a defense: edits that are applied together. */
export interface Break {
  /** A short description of the missing defense. */
  without: string
  edits: readonly Edit[]
}

export interface Edit {
  /** Relative to the root of the repository. */
  file: string
  /** Must occur in the file exactly once. */
  text: string
  replacement: string
}

import type { Stage } from './stage.ts'

/** A group of attacks on the running product. */
export interface Row {
  /** The name of the row. Also the name of its file, and the value of `--only` that selects it. */
  name: string
  /**
   * Maximum numbers of cases in a full run and per commit. A row with a fixed list of attacks has at most that many
   * cases.
   */
  cases: { full: number; commit: number }
  run(stage: Stage, options: RunOptions): Promise<Outcome>
  /** Changes that each remove a defense. The row must fail after each of them. */
  brokenBy: readonly Break[]
}

export interface RunOptions {
  seed: number
  cases: number
}

export interface Outcome {
  cases: number
  /** A line for each attack that succeeded. */
  failures: string[]
}

/** Removes one defense, through edits that are applied together. */
export interface Break {
  /** A short description of the removed defense. */
  without: string
  edits: readonly Edit[]
}

export interface Edit {
  file: string
  /** The string to replace. It must occur in the file exactly once. */
  text: string
  replacement: string
}

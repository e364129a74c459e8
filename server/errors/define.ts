/**
 * An error: its HTTP status, and the sentence that the client reads, in which each `{name}` stands for a value. A
 * `validation` error is one of the request in itself, whoever sends it and when: 400 under /api, 422 under /v1 (contract, 1).
 */
export type Definition = readonly [status: number, sentence: string, kind?: 'validation']

/**
 * Defines the errors of a part or of a platform room, by code. A sentence alone is no answer to a request: it is stored
 * with what failed, or is the reason within another error. Sentences from the specification stand there word for word. The file that calls it is called errors.ts, imports nothing else, and is listed in index.ts.
 */
export const defineErrors = <const D extends Readonly<Record<string, Definition | string>>>(
  definitions: D,
): D => definitions

/** The names of the placeholders in a sentence: `'level'` for `'below your own level ({level})'`. */
export type Placeholder<Sentence extends string> = string extends Sentence
  ? 'write the sentence as one literal'
  : Sentence extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Placeholder<Rest>
    : never

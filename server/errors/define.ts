/**
 * An error: its HTTP status and its message, in which `{name}` is a placeholder. A `validation` error depends only on the
 * request itself, not on its sender or the server's state: 400 under /api, 422 under /v1 (contract, 1).
 */
export type Definition = readonly [status: number, sentence: string, kind?: 'validation']

/**
 * Defines the errors of a part or a platform folder, by code. A definition without a status never answers a request: it is
 * stored with a failed record, or is the reason within another error. Messages from the specification stay word for word.
 * Call it only in a file named errors.ts that imports nothing else and is listed in index.ts.
 */
export const defineErrors = <const D extends Readonly<Record<string, Definition | string>>>(
  definitions: D,
): D => definitions

/** The names of the placeholders in a message: `'level'` for `'below your own level ({level})'`. */
export type Placeholder<Sentence extends string> = string extends Sentence
  ? 'write the sentence as one literal'
  : Sentence extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Placeholder<Rest>
    : never

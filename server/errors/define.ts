/**
 * Defines an error by its HTTP status and its message, in which `{name}` is a placeholder. An error of kind
 * `validation` depends only on the request, not on the caller or the server's state. Its status is 400 under /api and
 * 422 under /v1.
 */
export type Definition = readonly [status: number, sentence: string, kind?: 'validation' | Lookup]

/** The kind of an error that says that a record was not found. Its values are `field` and `value`. */
export interface Lookup {
  /** Usual name of the field with the record's ID. The response names the field of the request that has the value. */
  readonly field: string
}

/** Defines the error that a record was not found, with the field and the value of the request. */
export const notFound = <const S extends string>(
  sentence: S,
  field: string,
): readonly [404, `${S}: {field} {value}`, Lookup] => [404, `${sentence}: {field} {value}`, { field }]

/** Like `notFound`, for a sentence of the specification. Only `values` has the field and the value. */
export const prescribedNotFound = <const S extends string>(
  sentence: S,
  field: string,
): readonly [404, S, Lookup] => [404, sentence, { field }]

/**
 * Defines the errors of a part or a platform folder, by code. A string defines a message without a status, which is
 * never sent as a response. Such a message is stored with a failed record, or is the reason in another error. Keep
 * messages from the specification unchanged. Call this function only in files named errors.ts that import nothing
 * else and are listed in index.ts.
 */
export const defineErrors = <const D extends Readonly<Record<string, Definition | string>>>(
  definitions: D,
): D => definitions

/** Extracts the placeholder names of a message: `'level'` for `'below your own level ({level})'`. */
export type Placeholder<Sentence extends string> = string extends Sentence
  ? 'write the sentence as one literal'
  : Sentence extends `${string}{${infer Name}}${infer Rest}`
    ? Name | Placeholder<Rest>
    : never

/** Error codes, each with its HTTP status and the sentence that the client reads. `fail` fills in `{name}`. */
export type Catalogue = Record<string, readonly [status: number, sentence: string]>

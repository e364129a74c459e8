/**
 * Messages for error codes: `{ kb: { not_found: '…' } }` is the message for `kb.not_found`. The arguments of a
 * message are the error's `values` and the values that ui/error-text.ts adds.
 *
 * An error without a message shows the server's `detail`. English therefore needs messages only for errors whose
 * `detail` is written for developers. early-errors.ts has the codes that the first screens need, and errors.ts has
 * all others.
 */
export type ErrorMessages = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/**
 * Messages for error codes: `{ kb: { not_found: '…' } }` for `kb.not_found`. Their arguments are the `values` of the error, and
 * those that ui/error-text.ts adds. A code without a message shows the server's `detail`, so English has only those whose
 * `detail` is for developers. early-errors.ts has the codes of the first screens, errors.ts all others.
 */
export type ErrorMessages = Readonly<Record<string, string | Readonly<Record<string, string>>>>

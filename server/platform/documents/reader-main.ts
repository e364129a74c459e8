import { DocumentError } from './document-error.ts'
import { readFileText, type StoredFile } from './read-file.ts'
import type { ReaderAnswer } from './reader.ts'

/** The process that reads files, one after another, for the process that has started it. It ends with that one. */
process.on('message', (file: StoredFile) => {
  readFileText(file)
    .then(
      (extracted): ReaderAnswer => extracted,
      (error: unknown): ReaderAnswer => ({
        refusal: error instanceof DocumentError ? error.message : null,
        reason: String(error instanceof Error ? (error.cause ?? error) : error),
      }),
    )
    .then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())
// Ctrl-C reaches the whole group; the server that stops ends its readers when it needs them no longer.
process.on('SIGINT', () => {})

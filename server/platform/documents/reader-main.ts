import { DocumentError } from './document-error.ts'
import { readDuration } from './read-duration.ts'
import { readFileText } from './read-file.ts'
import { readWebPage } from './read-web-page.ts'
import type { ReaderAnswer, ReaderTask } from './reader.ts'

/** The reader process. Reads files and pages one at a time for its parent process, and exits with the parent. */
process.on('message', (task: ReaderTask) => {
  read(task)
    .then(
      (extracted): ReaderAnswer => extracted,
      (error: unknown): ReaderAnswer => ({
        refusal: error instanceof DocumentError ? error.message : null,
        reason: String(error instanceof Error ? (error.cause ?? error) : error),
      }),
    )
    .then((answer) => process.send?.(answer))
})
function read(task: ReaderTask): Promise<ReaderAnswer> {
  if ('path' in task) return readFileText(task)
  return 'soundPath' in task ? readDuration(task) : readWebPage(task)
}

process.on('disconnect', () => process.exit())
// Ignore Ctrl-C, which reaches the whole process group. The server still needs its readers while it stops, and then
// ends the readers itself.
process.on('SIGINT', () => {})

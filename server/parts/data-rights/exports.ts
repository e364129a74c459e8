import type { Readable } from 'node:stream'
import { fail } from '#errors'

/**
 * Maximum number of concurrent exports per process. An export reads the database and storage continuously, and
 * compresses the data.
 * @limit concurrent exports per process
 */
const EXPORTS_MAX = 4
const RETRY_AFTER_SECONDS = 30

/** Tracks the exports in progress in this process. A user can have at most one export in progress. */
export class Exports {
  readonly #users = new Set<string>()

  /**
   * Opens an export with `begin`. The export ends when its stream closes or `begin` fails. Throws export.under_way if
   * the user already has an export in progress, and export.busy.
   */
  async open<File extends { content: Readable }>(userId: string, begin: () => Promise<File>): Promise<File> {
    const retry = { retryAfter: RETRY_AFTER_SECONDS }
    if (this.#users.has(userId)) throw fail('export.under_way', {}, retry)
    if (this.#users.size >= EXPORTS_MAX) throw fail('export.busy', { limit: EXPORTS_MAX }, retry)
    this.#users.add(userId)
    const end = (): boolean => this.#users.delete(userId)
    try {
      const file = await begin()
      if (file.content.closed) end()
      else file.content.once('close', end)
      return file
    } catch (error) {
      end()
      throw error
    }
  }
}

import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { DATABASE_FOLDER } from '#database/embedded.ts'
import { fail, sentence } from '#errors'

const MB = 1024 ** 2
/** With less free space, the server is not ready: uploads, replies and the embedded database soon fail to write. */
export const FREE_BYTES_MIN = 100 * MB
/** With less free space, `parley doctor` and an alert warn. */
export const FREE_BYTES_WARNING = 1_024 * MB

/** Interval at which a process notices that a disk fills up, if nobody probes or scrapes it. */
const WATCH_MS = 60_000

/**
 * With less free space, requests that write are refused where the embedded database is: it ends if it cannot extend its
 * log, whose files have 16 MB.
 */
const WRITABLE_BYTES_MIN = 32 * MB
/** Time for which requests share one look at the disk. */
const KEPT_MS = 1_000

export const inMegabytes = (bytes: number): number => Math.floor(bytes / MB)

/** Returns the bytes that this process can still write to the file system of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** The file systems that this process writes to: of DATA_DIR and, where it is another, of the embedded database. */
export class Disks {
  readonly #folders: ReadonlyMap<string, string>
  readonly #log: Pick<Logger, 'warn' | 'info'>
  readonly #low = new Set<string>()
  readonly #everyMs: number
  readonly #protectsDatabase: boolean
  #readAt = Number.NEGATIVE_INFINITY
  #isFull = false

  constructor(
    { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
    log: Pick<Logger, 'warn' | 'info'>,
    everyMs = WATCH_MS,
  ) {
    this.#everyMs = everyMs
    this.#protectsDatabase = databaseUrl === null
    this.#log = log
    this.#folders = new Map([
      ['data', dataDir],
      ...(databaseUrl === null ? ([['database', join(dataDir, DATABASE_FOLDER)]] as const) : []),
    ])
  }

  /**
   * Returns the free bytes by folder: `data` and, if the embedded database is on another file system, `database`. Logs
   * a line when a folder falls below FREE_BYTES_MIN, and when it has as much again. Omits folders that do not exist.
   */
  async read(): Promise<Map<string, number>> {
    this.#readAt = performance.now()
    const free = new Map<string, number>()
    const devices = new Set<number>()
    for (const [name, folder] of this.#folders) {
      const found = await stat(folder).catch(() => null)
      if (found === null || devices.has(found.dev)) continue
      devices.add(found.dev)
      const bytes = await freeBytes(folder)
      free.set(name, bytes)
      this.#note(name, folder, bytes)
    }
    this.#isFull = free.values().some((bytes) => bytes < WRITABLE_BYTES_MIN)
    return free
  }

  /** Reads the free space at an interval, for the log. Returns a function that stops it. */
  watch(): () => void {
    const timer = setInterval(() => void this.read(), this.#everyMs).unref()
    return () => clearInterval(timer)
  }

  /**
   * Throws server.unavailable if a write could end the embedded database. Does not wait: the free space is that of up to
   * KEPT_MS before the last request.
   */
  assertWritable(): void {
    if (!this.#protectsDatabase) return
    if (performance.now() - this.#readAt >= KEPT_MS) void this.read()
    if (this.#isFull) throw fail('server.unavailable', { reason: sentence('storage.disk_full') })
  }

  /** Throws server.unavailable if a folder has less than FREE_BYTES_MIN free. */
  async check(): Promise<void> {
    for (const [folder, bytes] of await this.read())
      if (bytes < FREE_BYTES_MIN)
        throw fail('server.unavailable', {
          reason: sentence('storage.disk_low', {
            folder,
            free: inMegabytes(bytes),
            needed: inMegabytes(FREE_BYTES_MIN),
          }),
        })
  }

  #note(name: string, folder: string, bytes: number): void {
    const isLow = bytes < FREE_BYTES_MIN
    if (isLow === this.#low.has(name)) return
    const line = { folder, free_mb: inMegabytes(bytes), needed_mb: inMegabytes(FREE_BYTES_MIN) }
    if (isLow) {
      this.#low.add(name)
      this.#log.warn(line, 'the disk is nearly full; /readyz fails until space is freed')
    } else {
      this.#low.delete(name)
      this.#log.info(line, 'the disk has enough free space again')
    }
  }
}

import { readFileSync } from 'node:fs'
import { Agent, type buildConnector, type Dispatcher, Pool } from 'undici'
import { assertOutsideTransaction } from '#database/ambient.ts'

/** Maximum number of calls to one origin that wait for a connection. Further calls fail at once. */
const WAITING_PER_ORIGIN_MAX = 1_000
/** Time after which an origin whose queue was full is looked at again. Each look visits all of its connections. */
const FULL_MS = 100
const KEEP_ALIVE_MS = 30_000

/** Open files that a process needs beside its clients and its calls: modules, the database, Redis, workers. */
const FILES_RESERVED = 512
/** The limit where the operating system does not tell it. */
const FILES_ASSUMED = 4_096
/** More connections from one address to one origin come near to the number of ports. */
const CONNECTIONS_MAX = 10_000
const CONNECTIONS_MIN = 64

/**
 * Returns how many connections to one origin the process's limit of open files allows. A reply takes two files: its
 * client's connection and that to the provider.
 */
export function connectionsByFiles(files = readFilesLimit()): number {
  const allowed = Math.floor((files - FILES_RESERVED) / 2)
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, allowed))
}

/** Node raises the soft limit to the hard one when it starts. */
function readFilesLimit(): number {
  try {
    const [, limit] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit ?? FILES_ASSUMED)
  } catch {
    return FILES_ASSUMED
  }
}

/** A pool of connections to each origin, with a bound for the calls that wait for a connection. */
export class BoundedAgent extends Agent {
  /** `full` creates the error of a call that finds the queue full. */
  constructor(options: { connect: buildConnector.connector; connections: number; full: () => Error }) {
    const { connect, connections, full } = options
    super({
      connect,
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Callers set their own response timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
      factory: (origin, settings) => new BoundedPool(origin, { ...settings, connections }, full),
    })
  }

  /** Calls that wait for a connection, to all origins. */
  get waiting(): number {
    return Object.values(this.stats).reduce(
      (sum, pool) => sum + ('queued' in pool ? Number(pool.queued) : 0),
      0,
    )
  }

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    assertOutsideTransaction('net.dispatch')
    return super.dispatch(options, handler)
  }
}

/**
 * Counts the waiting calls only when there may be too many: the pool's own count visits all connections, and after each
 * count a number of calls can start without another.
 */
class BoundedPool extends Pool {
  readonly #connections: number
  readonly #full: () => Error
  #uncounted: number
  #fullUntil = 0

  constructor(origin: string | URL, options: Pool.Options & { connections: number }, full: () => Error) {
    super(origin, options)
    this.#connections = options.connections
    this.#uncounted = options.connections + WAITING_PER_ORIGIN_MAX
    this.#full = full
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#uncounted === 0) this.#count()
    this.#uncounted -= 1
    return super.dispatch(options, handler)
  }

  /** Throws if the queue is full. */
  #count(): void {
    if (performance.now() < this.#fullUntil) throw this.#full()
    const { size, queued } = this.stats
    this.#uncounted =
      Math.max(0, this.#connections - (size - queued)) + Math.max(0, WAITING_PER_ORIGIN_MAX - queued)
    if (this.#uncounted > 0) return
    this.#fullUntil = performance.now() + FULL_MS
    throw this.#full()
  }
}

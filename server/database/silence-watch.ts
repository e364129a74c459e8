import { connect, type Socket } from 'node:net'
import type { ParsedOptions } from 'postgres'

/*
 * Time is counted in steps of a timer, and a late step counts once. Time in which this process is too busy to read the
 * server's answers therefore does not count as silence.
 */
const STEP_MS = 100
/** Age of a statement, in steps, at which the server is probed. Statements may take longer while it answers. */
const PATIENCE_STEPS = 10
/** Steps in which the server must answer a probe. */
const PROBE_STEPS = 10
/** Steps between two probes of a silent server. */
const PAUSE_STEPS = 3

/**
 * The first message of a connection that may use TLS (PostgreSQL documentation, SSLRequest). The server answers with
 * one byte before it checks credentials or the number of connections.
 */
const PROBE = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** The addresses of the server's hosts, or the path of its socket. */
type Address = Pick<ParsedOptions, 'host' | 'port' | 'path'>

/**
 * Notices that the server is silent: a statement has waited for a second, and for another second no result has arrived,
 * and no host of the server has answered a new connection. The cause can be a frozen process, a frozen machine or a
 * broken network. A slow statement alone is no silence. Calls `fellSilent` once, and probes until the server answers.
 */
export class SilenceWatch {
  readonly #address: Address
  readonly #fellSilent: () => void
  /** Runs while there are statements in progress or probes. */
  #timer: NodeJS.Timeout | undefined
  /** The steps in which the statements in progress began, oldest first. */
  readonly #begun = new Map<object, number>()
  #step = 0
  #probes: Socket[] = []
  #probedAt = 0
  #answeredAt = 0
  #isSilent = false

  constructor(address: Address, fellSilent: () => void) {
    this.#address = address
    this.#fellSilent = fellSilent
  }

  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Watches a statement or transaction until `ended` is called with the same object. */
  began(work: object): void {
    this.#begun.set(work, this.#step)
    this.#timer ??= setInterval(() => this.#takeStep(), STEP_MS).unref()
  }

  ended(work: object): void {
    this.#begun.delete(work)
  }

  /** Notes that a result has arrived. */
  answered(): void {
    this.#answeredAt = this.#step
  }

  close(): void {
    this.#rest()
    this.#endProbes()
  }

  #takeStep(): void {
    this.#step += 1
    const sinceProbe = this.#step - this.#probedAt
    if (this.#probes.length > 0) {
      if (sinceProbe >= PROBE_STEPS) this.#noAnswer()
    } else if (this.#isSilent ? sinceProbe >= PAUSE_STEPS : this.#isOverdue(sinceProbe)) this.#probe()
    else if (this.#begun.size === 0 && !this.#isSilent) this.#rest()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #isOverdue(sinceProbe: number): boolean {
    const [oldest = this.#step] = this.#begun.values()
    return this.#step - oldest >= PATIENCE_STEPS && sinceProbe >= PATIENCE_STEPS
  }

  #probe(): void {
    this.#probedAt = this.#step
    const { host, port, path } = this.#address
    this.#probes = host.map((name, index) => {
      const socket = path ? connect(path) : connect(port[index] as number, name)
      socket.on('error', () => {})
      socket.once('data', () => {
        this.#isSilent = false
        this.#endProbes()
      })
      socket.write(PROBE)
      return socket
    })
  }

  #noAnswer(): void {
    this.#endProbes()
    const hasAnswered = this.#answeredAt >= this.#probedAt
    this.#probedAt = this.#step
    if (this.#isSilent || hasAnswered) return
    this.#isSilent = true
    this.#fellSilent()
  }

  #endProbes(): void {
    for (const socket of this.#probes) socket.destroy()
    this.#probes = []
  }
}

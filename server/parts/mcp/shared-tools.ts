import type { RunnableTool } from '#platform/models/index.ts'
import type { InstanceFinder, SharedInstance } from './find-instances.ts'
import { type OpenBounds, type Opening, openTools } from './open-tools.ts'

/** A server that could not be asked is left out for so long: messages do not wait for it one by one. */
const LEFT_OUT_MS = 60_000
const LEFT_OUT_MAX = 10_000

/** The tools of connections that people have shared with agents. */
export class SharedTools {
  readonly #finder: Pick<InstanceFinder, 'findShared'>
  readonly #opening: Opening
  /** Until when which is left out; the one that failed longest ago comes first. */
  readonly #leftOut = new Map<string, number>()

  constructor(finder: Pick<InstanceFinder, 'findShared'>, opening: Opening) {
    this.#finder = finder
    this.#opening = opening
  }

  /**
   * As they were listed within the last minute, else as their servers list them now. A server that fails is left out,
   * and for a minute from then on at once, unless its account is connected anew. Rejects with the signal's reason.
   */
  async open(agentId: string, signal: AbortSignal, bounds: OpenBounds): Promise<RunnableTool[]> {
    const instances = await this.#finder.findShared(agentId)
    const usable = instances.filter((instance) => !this.#isLeftOut(keyOf(instance)))
    if (usable.length === 0) return []
    const { tools, failed } = await openTools(this.#opening, usable, signal, bounds)
    const ids = new Set(failed.map(({ instanceId }) => instanceId))
    for (const instance of usable) if (ids.has(instance.id)) this.#leaveOut(keyOf(instance))
    return tools
  }

  #isLeftOut(key: string): boolean {
    const until = this.#leftOut.get(key)
    return until !== undefined && until > Date.now()
  }

  #leaveOut(key: string): void {
    this.#leftOut.delete(key)
    const [oldest] = this.#leftOut.keys()
    if (this.#leftOut.size === LEFT_OUT_MAX && oldest !== undefined) this.#leftOut.delete(oldest)
    this.#leftOut.set(key, Date.now() + LEFT_OUT_MS)
  }
}

const keyOf = ({ endpoint, credentialsVersion }: SharedInstance): string =>
  `${endpoint.key} ${credentialsVersion}`

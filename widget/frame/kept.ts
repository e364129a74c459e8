import { newVisitorKey } from '@parley/client/visitor'

const VISITOR_KEY = /^[\w-]{43}$/

/**
 * The data that the browser stores for a deployment. If the browser refuses storage (private window, policy, full
 * disk), the data stays in memory until the page closes.
 */
export class Kept {
  readonly #prefix: string
  /** The values that the browser refused to store. They hide older stored values. */
  readonly #memory = new Map<string, string | null>()

  constructor(deploymentId: string) {
    this.#prefix = `parley:${deploymentId}:`
  }

  /** Returns the secret that identifies this visitor. Creates and stores a secret on the first visit. */
  visitorKey(): string {
    const known = this.get('visitor')
    if (known !== null && VISITOR_KEY.test(known)) return known
    const key = newVisitorKey()
    this.set('visitor', key)
    return key
  }

  get(name: KeptName): string | null {
    const unstored = this.#memory.get(name)
    if (unstored !== undefined) return unstored
    try {
      return localStorage.getItem(this.#prefix + name)
    } catch {
      return null
    }
  }

  set(name: KeptName, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(this.#prefix + name)
      else localStorage.setItem(this.#prefix + name, value)
      this.#memory.delete(name)
    } catch {
      this.#memory.set(name, value)
    }
  }
}

type KeptName = 'visitor' | 'session'

import { newVisitorKey } from '@parley/client/visitor'

const VISITOR_KEY = /^[\w-]{43}$/

/**
 * The data that the browser stores for a deployment. If the browser refuses storage (private window, policy, full
 * disk), the data stays in memory until the page closes.
 */
export class Kept {
  readonly #prefix: string
  readonly #memory = new Map<string, string>()

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
    try {
      return localStorage.getItem(this.#prefix + name) ?? this.#memory.get(name) ?? null
    } catch {
      return this.#memory.get(name) ?? null
    }
  }

  set(name: KeptName, value: string | null): void {
    if (value === null) this.#memory.delete(name)
    else this.#memory.set(name, value)
    try {
      if (value === null) localStorage.removeItem(this.#prefix + name)
      else localStorage.setItem(this.#prefix + name, value)
    } catch {
      // Storage was refused. The value stays in memory.
    }
  }
}

type KeptName = 'visitor' | 'session'

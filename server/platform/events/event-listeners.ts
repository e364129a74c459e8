import type { Logger } from 'pino'
import { fail, sentence } from '#errors'
import type { FindAudiences } from '#platform/access/audience.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Scope } from '#platform/access/scope.ts'
import { repeat } from '#platform/sweeps/repeat.ts'

const LISTENERS_MAX = 5_000
const LISTENERS_OF_USER_MAX = 20
/** Maximum duration of listening, in milliseconds. */
const LISTENING_MS_MAX = 3_600_000

/** An event as a listener receives it. */
export interface HeardEvent {
  type: string
  data: Record<string, unknown>
}

/** A client's stream of one organization's events, other than a WebSocket. */
export interface Listener {
  scope: Pick<Scope<Permission>, 'organizationId' | 'userId' | 'sessionId' | 'apiKeyId'>
  /** Permission that the client needs as long as it listens. */
  permission: Permission
  onEvent(event: HeardEvent): void
  /** Called at most once: when the client may no longer listen, after `LISTENING_MS_MAX`, or when the process stops. */
  onEnd(): void
}

interface Listening extends Listener {
  credentialId: string
  deadline: NodeJS.Timeout
}

interface Dependencies {
  findAudiences: FindAudiences
  log: Logger
  /** Interval between checks of all listeners' permissions, in milliseconds. */
  checkMs: number
}

/**
 * The listeners of this process. Like LiveSockets, they do not decide which events a user may receive. Sockets are
 * checked only when an event arrives. Listeners are also checked periodically, so that a revoked client does not keep
 * its stream.
 */
export class EventListeners {
  readonly #listeners = new Set<Listening>()
  readonly #findAudiences: FindAudiences
  readonly #endChecks: () => void

  constructor({ findAudiences, log, checkMs }: Dependencies) {
    this.#findAudiences = findAudiences
    const failure = { log, message: 'the permissions of event listeners could not be checked' }
    this.#endChecks = repeat(checkMs, () => this.#check(), failure)
  }

  /** Begins listening. Returns a function that ends it. Throws server.unavailable, events.too_many. */
  listen(listener: Listener): () => void {
    const { userId, sessionId, apiKeyId } = listener.scope
    if (this.#listeners.size >= LISTENERS_MAX)
      throw fail('server.unavailable', { reason: sentence('events.server_full') })
    if (this.#of([userId]).length >= LISTENERS_OF_USER_MAX)
      throw fail('events.too_many', { limit: LISTENERS_OF_USER_MAX })
    const listening: Listening = {
      ...listener,
      credentialId: (sessionId ?? apiKeyId) as string,
      deadline: setTimeout(() => this.#end([listening]), LISTENING_MS_MAX).unref(),
    }
    this.#listeners.add(listening)
    return () => this.#remove(listening)
  }

  /** Returns whether the user listens in this process. With null, returns whether any user listens. */
  has(userId: string | null): boolean {
    return this.#of([userId]).length > 0
  }

  /** Returns the ids of the sessions and API keys with which these users listen. Null stands for all users. */
  credentialIds(userIds: readonly (string | null)[]): string[] {
    return [...new Set(this.#of(userIds).map(({ credentialId }) => credentialId))]
  }

  /** Passes a message to every listener of these sessions and API keys in the organization of the message. */
  send(credentialIds: readonly string[], message: Buffer): void {
    if (this.#listeners.size === 0 || credentialIds.length === 0) return
    const recipients = new Set(credentialIds)
    const { type, organization_id: organizationId, data } = JSON.parse(String(message))
    for (const { credentialId, scope, onEvent } of this.#listeners)
      if (recipients.has(credentialId) && scope.organizationId === organizationId) onEvent({ type, data })
  }

  /** Ends the listeners of sessions and API keys that are no longer valid. */
  end(credentialIds: readonly string[]): void {
    this.#end([...this.#listeners].filter(({ credentialId }) => credentialIds.includes(credentialId)))
  }

  stop(): void {
    this.#endChecks()
    this.#end([...this.#listeners])
  }

  #of(userIds: readonly (string | null)[]): Listening[] {
    return [...this.#listeners].filter(
      ({ scope }) => userIds.includes(null) || userIds.includes(scope.userId),
    )
  }

  /** Ends all listeners that no longer hold their permission. */
  async #check(): Promise<void> {
    if (this.#listeners.size === 0) return
    const checked = Map.groupBy(
      this.#listeners,
      ({ scope, permission }) => `${scope.organizationId} ${permission}`,
    )
    const groups = [...checked.values()]
    const requested = groups.map(([first]) => {
      const { scope, permission } = first as Listening
      return { organizationId: scope.organizationId, permission, userId: null }
    })
    const { audiences } = await this.#findAudiences(this.credentialIds([null]), requested)
    for (const [index, group] of groups.entries()) {
      const allowed = new Set(audiences[index])
      this.#end(group.filter(({ credentialId }) => !allowed.has(credentialId)))
    }
  }

  #end(ended: readonly Listening[]): void {
    for (const listening of ended) if (this.#remove(listening)) listening.onEnd()
  }

  #remove(listening: Listening): boolean {
    clearTimeout(listening.deadline)
    return this.#listeners.delete(listening)
  }
}

import type { Logger } from 'pino'
import { fail, sentence } from '#errors'
import type { FindAudiences } from '#platform/access/audience.ts'
import type { Permission } from '#platform/access/permissions.ts'
import type { Scope } from '#platform/access/scope.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { MultiMap } from './multi-map.ts'

const LISTENERS_MAX = 5_000
/** @limit concurrent streams of chat titles per user and process */
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
  readonly #byUser = new MultiMap<Listening>()
  readonly #byCredential = new MultiMap<Listening>()
  #count = 0
  readonly #findAudiences: FindAudiences
  readonly #endChecks: () => void

  constructor({ findAudiences, log, checkMs }: Dependencies) {
    this.#findAudiences = findAudiences
    const failure = {
      name: 'event listeners',
      log,
      message: 'the permissions of event listeners could not be checked',
    }
    this.#endChecks = repeat(checkMs, () => this.#check(), failure)
  }

  /** Begins listening. Returns a function that ends it. Throws server.unavailable, events.too_many. */
  listen(listener: Listener): () => void {
    const { userId, sessionId, apiKeyId } = listener.scope
    if (this.#count >= LISTENERS_MAX)
      throw fail('server.unavailable', { reason: sentence('events.server_full') })
    if (this.#byUser.of(userId).size >= LISTENERS_OF_USER_MAX)
      throw fail('events.too_many', { limit: LISTENERS_OF_USER_MAX })
    const listening: Listening = {
      ...listener,
      credentialId: (sessionId ?? apiKeyId) as string,
      deadline: setTimeout(() => this.#end([listening]), LISTENING_MS_MAX).unref(),
    }
    this.#byUser.add(userId, listening)
    this.#byCredential.add(listening.credentialId, listening)
    this.#count += 1
    return () => this.#remove(listening)
  }

  /** Returns whether the user listens in this process. With null, returns whether any user listens. */
  has(userId: string | null): boolean {
    return userId === null ? this.#count > 0 : this.#byUser.has(userId)
  }

  /** Returns the ids of the sessions and API keys with which these users listen. Null stands for all users. */
  credentialIds(userIds: readonly (string | null)[]): string[] {
    if (userIds.includes(null)) return [...this.#byCredential.keys()]
    const found = new Set<string>()
    for (const userId of userIds as readonly string[])
      for (const { credentialId } of this.#byUser.of(userId)) found.add(credentialId)
    return [...found]
  }

  /** Passes a message to every listener of these sessions and API keys in the organization of the message. */
  send(credentialIds: readonly string[], message: Buffer): void {
    const recipients = this.#of(credentialIds)
    if (recipients.length === 0) return
    const { type, organization_id: organizationId, data } = JSON.parse(String(message))
    for (const { scope, onEvent } of recipients)
      if (scope.organizationId === organizationId) onEvent({ type, data })
  }

  /** Ends the listeners of sessions and API keys that are no longer valid. */
  end(credentialIds: readonly string[]): void {
    this.#end(this.#of(credentialIds))
  }

  stop(): void {
    this.#endChecks()
    this.#end(this.#byUser.all())
  }

  #of(credentialIds: readonly string[]): Listening[] {
    return [...new Set(credentialIds)].flatMap((id) => [...this.#byCredential.of(id)])
  }

  /** Ends all listeners that no longer hold their permission. */
  async #check(): Promise<void> {
    if (this.#count === 0) return
    const checked = Map.groupBy(
      this.#byUser.all(),
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
    this.#byCredential.remove(listening.credentialId, listening)
    const wasPresent = this.#byUser.remove(listening.scope.userId, listening)
    if (wasPresent) this.#count -= 1
    return wasPresent
  }
}

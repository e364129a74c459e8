import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '#tests/support/client.ts'
import type { Stage } from './stage.ts'

/**
 * Timeout of other clients' requests. It is much longer than a request takes on a busy machine, so a timeout means
 * that the server no longer serves other clients.
 */
const OTHERS_GIVE_UP_MS = 15_000

/**
 * Sends requests of another user, one after another, until `end` is called. `end` returns a description of the first
 * request that failed, or null.
 */
export function watchOthers(stage: Stage, person: Person): { end(): Promise<string | null> } {
  let isOver = false
  const ask = async (path: string, token?: string): Promise<string | null> => {
    const signal = AbortSignal.timeout(OTHERS_GIVE_UP_MS)
    const { status } = await stage.call('GET', path, { signal, ...(token && { token }) })
    return status === 200 ? null : `others get ${status}`
  }
  const watching = (async () => {
    do {
      const fault = (await ask('/healthz')) ?? (await ask('/api/users/me', person.token))
      if (fault !== null) return fault
      await sleep(20)
    } while (!isOver)
    return null
  })().catch((error: unknown) => `others get no response: ${error}`)
  return {
    end() {
      isOver = true
      return watching
    },
  }
}

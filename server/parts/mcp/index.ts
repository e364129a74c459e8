import type { Route } from '#platform/http/define-route.ts'
import type { Rooms } from '#platform/rooms.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { createDesk } from './desk.ts'
import { InstanceFinder, type ReadyInstance } from './find-instances.ts'
import { InstanceCredentials } from './instance-credentials.ts'
import { instanceRoutes } from './routes.ts'
import { sweepAttempts } from './sweep-attempts.ts'

export type { ReadyInstance } from './find-instances.ts'

/** MCP servers, and the accounts that people have connected there. */
export interface Mcp {
  routes: Route[]
  /** The user's own active instances among these ids; ids of anything else are left out. */
  findInstances(userId: string, onlyOrganizationId: string | null, ids: string[]): Promise<ReadyInstance[]>
  /** The active instances that their owners, active members all of them, have shared with an agent. */
  findShared(agentId: string): Promise<ReadyInstance[]>
  start(): Promise<void>
  close(): Promise<void>
}

const SWEEP_MS = 60_000

export function createMcp(rooms: Rooms): Mcp {
  const desk = createDesk(rooms)
  const credentials = new InstanceCredentials(desk)
  const finder = new InstanceFinder(desk, credentials)
  let endSweep = (): void => {}
  return {
    routes: [...instanceRoutes(desk)],
    findInstances: (userId, onlyOrganizationId, ids) => finder.findOwn(userId, onlyOrganizationId, ids),
    findShared: (agentId) => finder.findShared(agentId),
    async start() {
      endSweep = repeat(SWEEP_MS, () => sweepAttempts(desk), {
        log: rooms.log,
        message: 'the sweep of attempts to connect failed',
      })
    },
    async close() {
      endSweep()
      await desk.connections.close()
    },
  }
}

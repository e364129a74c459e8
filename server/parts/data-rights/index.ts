import type { Route } from '#platform/http/define-route.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { Mcp } from '../mcp/index.ts'
import type { PlaygroundMemory } from '../mcp-playground/index.ts'
import { Eraser } from './eraser.ts'
import { exportRoutes } from './export-routes.ts'
import { Exports } from './exports.ts'
import { importRoutes } from './import-routes.ts'
import { Imports } from './imports.ts'
import { deletionRoutes } from './routes.ts'

/** What people and organizations may do with their data as a whole: take it away, bring it in, have it deleted. */
export interface DataRights {
  routes: Route[]
  /** For those that were deleted and are not all gone. */
  eraser: Pick<Eraser, 'start' | 'stop'>
}

export function createDataRights(
  rooms: Rooms,
  doors: { mcp: Pick<Mcp, 'endAllAccess'>; memory: PlaygroundMemory },
): DataRights {
  const { database, events, instance, jobs, mail, secrets, sharedLogs, uploads, log } = rooms
  const desk = { sql: database.sql, events, jobs, mail, secrets, sharedLogs, ...doors }
  const imports = new Imports({ sql: database.sql, jobs, instance })
  const tasks = { sweepFiles: () => uploads.sweep(), closeLeftBehind: () => imports.closeLeftBehind() }
  const eraser = new Eraser(desk, tasks, log)
  const routes = [
    ...deletionRoutes(rooms, eraser),
    ...exportRoutes(rooms, new Exports()),
    ...importRoutes(rooms, { imports, eraser }),
  ]
  return { routes, eraser }
}

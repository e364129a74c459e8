import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import type { Mcp } from '../mcp/index.ts'
import type { PlaygroundMemory } from '../mcp-playground/index.ts'
import { Eraser } from './eraser-system.ts'
import { exportRoutes } from './export-routes.ts'
import { Exports } from './exports.ts'
import { importRoutes } from './import-routes.ts'
import { Imports } from './imports-system.ts'
import { deletionRoutes } from './routes.ts'

export interface DataRights {
  routes: Route[]
  eraser: Pick<Eraser, 'start' | 'stop'>
}

export function createDataRights(
  services: Services,
  overrides: { mcp: Pick<Mcp, 'endAllAccess'>; memory: PlaygroundMemory },
): DataRights {
  const { database, events, instance, jobs, mail, pacer, secrets, sharedLogs, tables, uploads } = services
  const deps = { database, events, jobs, mail, pacer, secrets, sharedLogs, tables, ...overrides }
  const imports = new Imports({ database, jobs, instance })
  const tasks = { sweepFiles: () => uploads.sweep(), closeLeftBehind: () => imports.closeLeftBehind() }
  const eraser = new Eraser(deps, tasks, services)
  const routes = [
    ...deletionRoutes(services, eraser),
    ...exportRoutes(services, new Exports()),
    ...importRoutes(services, { imports, eraser }),
  ]
  return { routes, eraser }
}

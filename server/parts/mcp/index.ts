import type { Route } from '#platform/http/define-route.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { sweepAttempts } from './attempts-system.ts'
import { seedCatalogue } from './catalogue-system.ts'
import { InstanceCredentials } from './credentials.ts'
import { createMcpDependencies } from './dependencies.ts'
import type { Gateway } from './gateway.ts'
import { endAllAccess, InstanceFinder, type LeavingOwner, type ReadyInstance } from './instances-system.ts'
import {
  type OpenBounds,
  type OpenTools,
  openTools,
  SharedTools,
  type SharedToolsOfAgent,
} from './open-tools.ts'
import { TokenRefresh } from './refresh.ts'
import { catalogueRoutes, instanceRoutes, resourceRoutes } from './routes.ts'
import { type CatalogueHit, CatalogueSearch } from './search.ts'
import { ToolLists, ToolReader } from './tools.ts'

export { registerGateway } from './gateway.ts'
export { countMcpSessions, type ReadyInstance } from './instances-system.ts'
export {
  describeLeftOutTools,
  type FailedInstance,
  type LeftOutTool,
  type OpenBounds,
  TOOLS_MAX,
} from './open-tools.ts'
export type { CatalogueHit } from './search.ts'
export { mcpTables } from './tables.ts'

/** MCP servers, and the accounts that users have connected to them. */
export interface Mcp {
  routes: Route[]
  /**
   * Returns the active instances with these ids that belong to the user, where the user has mcp:write. Ignores other
   * ids. With `onlyOrganizationId`, considers only instances of that organization.
   */
  findInstances(userId: string, onlyOrganizationId: string | null, ids: string[]): Promise<ReadyInstance[]>
  /**
   * Opens the tools of active instances that their owners share with an agent, while the owners are active members.
   * Omits servers that fail.
   */
  openShared(agentId: string, signal: AbortSignal, bounds: OpenBounds): Promise<SharedToolsOfAgent>
  /**
   * Returns the servers of the catalogue that match a question, best first, including whether the user has connected
   * them.
   */
  searchCatalogue(
    userId: string,
    onlyOrganizationId: string | null,
    question: string,
    limit: number,
  ): Promise<CatalogueHit[]>
  /** Returns the tools that best match a question, in their original order. */
  chooseTools: CatalogueSearch['chooseTools']
  /** Opens the tools of instances for a model, and reports the instances that failed. */
  openTools(instances: readonly ReadyInstance[], signal: AbortSignal, bounds?: OpenBounds): Promise<OpenTools>
  /**
   * Deletes all connections of a user or organization that is being deleted, and revokes their access at the
   * providers.
   */
  endAllAccess(owner: LeavingOwner): Promise<void>
  gateway: Gateway
  /** Adds the servers of the catalogue. */
  start(): Promise<void>
  /** Starts the periodic sweep of unfinished connection attempts. Returns a function that stops it. */
  startSweep(): () => void
  close(): Promise<void>
}

const SWEEP_MS = 60_000

export function createMcp(services: Services): Mcp {
  const deps = createMcpDependencies(services)
  const refresh = new TokenRefresh(deps)
  const lists = new ToolLists(deps)
  const finder = new InstanceFinder(deps, new InstanceCredentials(deps, refresh, lists))
  const reader = new ToolReader(deps, finder, lists)
  const catalogue = new CatalogueSearch(deps)
  const opening = { ...deps, lists }
  const shared = new SharedTools(finder, opening)
  return {
    routes: [...catalogueRoutes(deps, reader), ...instanceRoutes(deps), ...resourceRoutes(deps, finder)],
    findInstances: (userId, onlyOrganizationId, ids) =>
      finder.findOwn(userId, onlyOrganizationId, ids, 'mcp:write'),
    openShared: (agentId, signal, bounds) => shared.open(agentId, signal, bounds),
    searchCatalogue: (userId, onlyOrganizationId, question, limit) =>
      catalogue.search(userId, onlyOrganizationId, question, limit),
    chooseTools: (question, tools, limit) => catalogue.chooseTools(question, tools, limit),
    openTools: (instances, signal, bounds) => openTools(opening, instances, signal, bounds),
    endAllAccess: (owner) => endAllAccess(deps, owner),
    gateway: { deps, finder },
    start: () => seedCatalogue(deps),
    startSweep: () =>
      repeat(SWEEP_MS, () => sweepAttempts(deps), {
        name: 'MCP connection attempts',
        log: services.log,
        message: 'MCP connection attempt sweep failed',
      }),
    async close() {
      await Promise.all([refresh.close(), deps.connections.close()])
    },
  }
}

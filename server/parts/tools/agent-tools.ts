import { grouped } from '#database/grouped.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { RunnableTool } from '#platform/models/tool-loop.ts'
import type { Services } from '#platform/services.ts'
import { findTools, readAllTools } from './read-tools-system.ts'
import { runnableTools } from './run-tool.ts'
import type { ToolRow } from './schemas.ts'
import {
  configNow,
  isSecret,
  NO_CONFIG,
  openConfig,
  readConfig,
  sealConfig,
  type ToolConfig,
} from './tool-config.ts'

/** A tool of an agent, as stored. The configuration is encrypted, and bound to the agent and the tool. */
export interface StoredAgentTool {
  toolId: string
  config: string
  /** Revision of the tool that an editor of the agent last confirmed by sending the agent's tools. */
  confirmedRevision: number
}

/**
 * A tool of an agent, as sent by a client. A value has the type that the tool declares, or is a string that parses to
 * a value of that type.
 */
export interface AgentToolInput {
  tool_id: string
  config?: { name: string; value: unknown }[]
  /** True to leave a change of the tool's author unconfirmed. */
  needs_confirmation?: boolean
  /** The revision that the client has seen. Later changes of the author stay unconfirmed. Default: the present one. */
  revision?: number
}

/** A tool of an agent, as returned to clients. The values of secrets are null. */
export interface AgentToolView {
  tool_id: string
  name: string
  config: { name: string; value: unknown }[]
  /** True if the tool does not run until an editor of the agent sends its tools again. */
  needs_confirmation: boolean
  /** The tool's present revision. */
  revision: number
}

/** The agent that has a tool. */
interface AgentOfTools {
  id: string
  organizationId: string
}

/** The confirmed revision of the organization's own tools, which need no confirmation. */
const OWN = 0

/** Maximum number of agents whose tools are read in one statement. */
const GROUP_MAX = 100

type Dependencies = Pick<Services, 'database' | 'sandbox' | 'secrets'>

/** Validates, returns and runs the tools of agents. */
export class AgentTools {
  readonly #deps: Dependencies
  /**
   * Reads tools by id. Concurrent reads are batched, so that a list of agents reads all tools in one statement (see
   * grouped).
   */
  readonly #readAll: (toolIds: string[]) => Promise<ToolRow[]>

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#readAll = grouped(async (lists) => {
      const rows = await readAllTools(deps, [...new Set(lists.flat())])
      return lists.map(() => rows)
    }, GROUP_MAX)
  }

  /**
   * Validates the tools of an agent and encrypts their configurations. Returns them in the same order, confirmed in
   * the revision that the client has seen. A secret that is null or omitted keeps its value in `existing`.
   *
   * Throws tool.not_found if the organization cannot use a tool. Throws tool.config_invalid for a duplicate tool or
   * an invalid configuration, and tool.function_twice if two functions have the same name.
   */
  async prepare(
    scope: Pick<Scope<'agent:write'>, 'organizationId'>,
    agentId: string,
    requested: readonly AgentToolInput[],
    existing: readonly StoredAgentTool[],
  ): Promise<StoredAgentTool[]> {
    const ids = requested.map(({ tool_id: id }) => id.toLowerCase())
    const usable = await findTools(this.#deps, scope.organizationId, ids)
    const found = ids.flatMap((id) => usable.find((row) => row.id === id) ?? [])
    const missing = ids.find((id) => !usable.some((row) => row.id === id))
    if (missing !== undefined) throw fail('tool.not_found', { value: missing })
    const twice = found.find((row, index) => found.indexOf(row) < index)
    if (twice) throw fail('tool.config_invalid', { reason: sentence('tool.twice', { name: twice.name }) })
    checkFunctions(found)
    const agent = { id: agentId, organizationId: scope.organizationId }
    return found.map((row, index) => this.#prepareOne(agent, row, requested[index], existing))
  }

  #prepareOne(
    { id: agentId, organizationId }: AgentOfTools,
    row: ToolRow,
    { config: given = [], needs_confirmation: isLeft = false, revision }: Partial<AgentToolInput> = {},
    existing: readonly StoredAgentTool[],
  ): StoredAgentTool {
    const { secrets } = this.#deps
    const known = existing.find(({ toolId }) => toolId === row.id)
    const before = known === undefined ? NO_CONFIG : openConfig(secrets, agentId, row.id, known.config)
    const config = readConfig(row.configuration, given, before)
    if ('error' in config)
      throw fail('tool.config_invalid', {
        reason: sentence('tool.config_refused', { name: row.name, reason: config.error }),
      })
    const present = row.organizationId === organizationId ? OWN : row.revision
    const { confirmedRevision: confirmed = present } = known ?? {}
    return {
      toolId: row.id,
      config: sealConfig(secrets, agentId, row.id, config),
      confirmedRevision: isLeft ? confirmed : Math.max(confirmed, Math.min(revision ?? present, present)),
    }
  }

  /** Returns an agent's tools with their configured values, in the order of `stored`. */
  async view(agent: AgentOfTools, stored: readonly StoredAgentTool[]): Promise<AgentToolView[]> {
    const rows = await this.#readAll(stored.map(({ toolId }) => toolId))
    return this.#opened(agent, stored, rows).map(({ row, config, isConfirmed }) => ({
      tool_id: row.id,
      name: row.name,
      config: Object.entries(config.values).map(([name, value]) => {
        const secret = row.configuration.some((one) => one.secret && one.name === name)
        return { name, value: isSecret({ name, secret }, config) ? null : value }
      }),
      needs_confirmation: !isConfirmed,
      revision: row.revision,
    }))
  }

  /**
   * Returns the functions of an agent's tools for a model. Omits tools that are inactive, deleted or no longer
   * public. If two functions have the same name, returns the first. Functions of a tool that needs confirmation fail.
   * Calls use a sandbox slot of `callerOrganizationId`.
   */
  async open(
    agent: AgentOfTools,
    stored: readonly StoredAgentTool[],
    callerOrganizationId: string,
  ): Promise<RunnableTool[]> {
    const rows = await findTools(
      this.#deps,
      agent.organizationId,
      stored.map(({ toolId }) => toolId),
    )
    const functions = this.#opened(agent, stored, rows)
      .filter(({ row }) => row.isActive)
      .flatMap(({ row, config, isConfirmed }) => {
        const configured = isConfirmed
          ? configNow(row.configuration, config)
          : { error: sentence('tool.unconfirmed', { name: row.name }) }
        return runnableTools(this.#deps.sandbox, row, configured, callerOrganizationId)
      })
    const byName = Map.groupBy(functions, ({ definition }) => definition.name)
    return [...byName.values()].flatMap(([first]) => first ?? [])
  }

  #opened(agent: AgentOfTools, stored: readonly StoredAgentTool[], rows: readonly ToolRow[]) {
    return stored.flatMap(({ toolId, config: sealed, confirmedRevision }) => {
      const row = rows.find(({ id }) => id === toolId)
      if (!row) return []
      const config = openConfig(this.#deps.secrets, agent.id, toolId, sealed)
      return [{ row, config, isConfirmed: isConfirmed(agent, row, config, confirmedRevision) }]
    })
  }
}

/**
 * Returns whether a tool may get the values that an agent has for it. The author of another organization's tool could
 * otherwise change it so that it sends them elsewhere. `row` must contain the code that runs.
 */
const isConfirmed = (
  { organizationId }: AgentOfTools,
  row: ToolRow,
  { values }: ToolConfig,
  confirmedRevision: number,
): boolean =>
  row.organizationId === organizationId ||
  row.revision === confirmedRevision ||
  Object.keys(values).length === 0

/**
 * Throws tool.function_twice if two functions have the same name, because a model calls a function by its name alone.
 */
function checkFunctions(rows: readonly ToolRow[]): void {
  const owners = new Map<string, ToolRow>()
  for (const row of rows)
    for (const { name } of row.functions) {
      const first = owners.get(name)
      if (first) throw fail('tool.function_twice', { first: first.name, second: row.name, name })
      owners.set(name, row)
    }
}

import { grouped } from '#database/grouped.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { RunnableTool } from '#platform/models/tool-loop.ts'
import type { Services } from '#platform/services.ts'
import { findTools, readAllTools } from './read-tools-system.ts'
import { runnableTools } from './run-tool.ts'
import type { ToolRow } from './schemas.ts'
import { isSecret, NO_CONFIG, openConfig, readConfig, sealConfig } from './tool-config.ts'

/** A tool of an agent, as stored. The configuration is encrypted, and bound to the agent and the tool. */
export interface StoredAgentTool {
  toolId: string
  config: string
}

/**
 * A tool of an agent, as sent by a client. A value has the type that the tool declares, or is a string that parses to
 * a value of that type.
 */
export interface AgentToolInput {
  tool_id: string
  config?: { name: string; value: unknown }[]
}

/** A tool of an agent, as returned to clients. The values of secrets are null. */
export interface AgentToolView {
  tool_id: string
  name: string
  config: { name: string; value: unknown }[]
}

/** Maximum length of a tool's configuration as JSON, in characters. */
const CONFIG_CHARACTERS_MAX = 64 * 1024

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
   * Validates the tools of an agent and encrypts their configurations. Returns them in the same order. A secret that
   * is null or omitted keeps its value in `existing`.
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
    if (found.length < ids.length) throw fail('tool.not_found')
    const twice = found.find((row, index) => found.indexOf(row) < index)
    if (twice) throw fail('tool.config_invalid', { reason: sentence('tool.twice', { name: twice.name }) })
    checkFunctions(found)
    return found.map((row, index) => this.#prepareOne(agentId, row, requested[index]?.config ?? [], existing))
  }

  #prepareOne(
    agentId: string,
    row: ToolRow,
    given: readonly { name: string; value: unknown }[],
    existing: readonly StoredAgentTool[],
  ): StoredAgentTool {
    const { secrets } = this.#deps
    const sealed = existing.find(({ toolId }) => toolId === row.id)?.config
    const before = sealed === undefined ? NO_CONFIG : openConfig(secrets, agentId, row.id, sealed)
    const config = readConfig(row.configuration, given, before)
    if ('error' in config)
      throw fail('tool.config_invalid', {
        reason: sentence('tool.config_refused', { name: row.name, reason: config.error }),
      })
    if (JSON.stringify(config).length > CONFIG_CHARACTERS_MAX)
      throw fail('tool.config_invalid', {
        reason: sentence('tool.config_too_large', { name: row.name, limit: CONFIG_CHARACTERS_MAX }),
      })
    return { toolId: row.id, config: sealConfig(secrets, agentId, row.id, config) }
  }

  /** Returns an agent's tools with their configured values, in the order of `stored`. */
  async view(agentId: string, stored: readonly StoredAgentTool[]): Promise<AgentToolView[]> {
    const rows = await this.#readAll(stored.map(({ toolId }) => toolId))
    return this.#opened(agentId, stored, rows).map(({ row, config }) => ({
      tool_id: row.id,
      name: row.name,
      config: Object.entries(config.values).map(([name, value]) => {
        const secret = row.configuration.some((one) => one.secret && one.name === name)
        return { name, value: isSecret({ name, secret }, config) ? null : value }
      }),
    }))
  }

  /**
   * Returns the functions of an agent's tools for a model. Omits tools that are inactive, deleted or no longer
   * public. If two functions have the same name, returns the first. Calls use a sandbox slot of
   * `callerOrganizationId`.
   */
  async open(
    agent: { id: string; organizationId: string },
    stored: readonly StoredAgentTool[],
    callerOrganizationId: string,
  ): Promise<RunnableTool[]> {
    const rows = await findTools(
      this.#deps,
      agent.organizationId,
      stored.map(({ toolId }) => toolId),
    )
    const functions = this.#opened(agent.id, stored, rows)
      .filter(({ row }) => row.isActive)
      .flatMap(({ row, config }) => runnableTools(this.#deps.sandbox, row, config, callerOrganizationId))
    const byName = Map.groupBy(functions, ({ definition }) => definition.name)
    return [...byName.values()].flatMap(([first]) => first ?? [])
  }

  #opened(agentId: string, stored: readonly StoredAgentTool[], rows: readonly ToolRow[]) {
    return stored.flatMap(({ toolId, config }) => {
      const row = rows.find(({ id }) => id === toolId)
      return row ? [{ row, config: openConfig(this.#deps.secrets, agentId, toolId, config) }] : []
    })
  }
}

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

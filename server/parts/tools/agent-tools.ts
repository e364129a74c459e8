import { grouped } from '#database/grouped.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { RunnableTool } from '#platform/models/tool-loop.ts'
import type { Services } from '#platform/services.ts'
import { findTools, readAllTools } from './read-tools-system.ts'
import { runnableTools } from './run-tool.ts'
import type { ToolRow } from './schemas.ts'
import { isSecret, NO_CONFIG, openConfig, readConfig, sealConfig } from './tool-config.ts'

/** A tool of an agent as it is stored: its configuration encrypted, and bound to agent and tool. */
export interface StoredAgentTool {
  toolId: string
  config: string
}

/** A tool that an agent is to have. A value is of the type that the tool asks for, or that as text. */
export interface AgentToolInput {
  tool_id: string
  config?: { name: string; value: unknown }[]
}

/** A tool of an agent as it is shown: the value of a secret is null. */
export interface AgentToolView {
  tool_id: string
  name: string
  config: { name: string; value: unknown }[]
}

/** What the configuration of one tool may have, as JSON. */
const CONFIG_CHARACTERS_MAX = 64 * 1024

/** The tools of so many agents at most are read in one statement. */
const GROUP_MAX = 100

type Dependencies = Pick<Services, 'database' | 'sandbox' | 'secrets'>

/** The tools of agents: what an agent may have of them, what is shown of that, and what a model can call. */
export class AgentTools {
  readonly #deps: Dependencies
  /** A list of agents asks for the tools of all of them at once (see grouped). */
  readonly #readAll: (toolIds: string[]) => Promise<ToolRow[]>

  constructor(deps: Dependencies) {
    this.#deps = deps
    this.#readAll = grouped(async (lists) => {
      const rows = await readAllTools(deps, [...new Set(lists.flat())])
      return lists.map(() => rows)
    }, GROUP_MAX)
  }

  /**
   * Checks tools that an agent is to have (the organization's own or public, each once, configured as they ask, no two
   * functions of one name) and makes them storable, in their order. A secret whose value is null or left out keeps
   * the value of `existing`. Throws tool.not_found; tool.config_invalid, which names tool and value; tool.function_twice.
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

  /** What is set of them, in their order. */
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
   * The functions of an agent's tools, ready for a model. A tool that is inactive, gone or no longer public is left
   * out; of two functions of one name the first stays. `callerOrganizationId`: whose turn in the sandbox it takes.
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

/** A model knows a function by its name alone. */
function checkFunctions(rows: readonly ToolRow[]): void {
  const owners = new Map<string, ToolRow>()
  for (const row of rows)
    for (const { name } of row.functions) {
      const first = owners.get(name)
      if (first) throw fail('tool.function_twice', { first: first.name, second: row.name, name })
      owners.set(name, row)
    }
}

import { newId } from '#database/new-id.ts'
import type { McpToolRecord } from '#database/schema/mcp.ts'
import type { Fragment, TenantSql, TenantTransaction } from '#database/tenant-sql.ts'
import { sentence } from '#errors'
import type { Actor, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { McpEndpoint, McpTool, McpToolList } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { rejectOnAbort } from '#platform/mcp/reject-on-abort.ts'
import { adaptOnce } from '#platform/mcp/tool-schemas/adapt-once.ts'
import { type KnownTools, readServer, type ServerOfCaller } from './catalogue.ts'
import { type ServerWithTools, type ToolList, viewWithTools } from './catalogue-schemas.ts'
import { noteNeededScope } from './credentials.ts'
import { connectionKey, holderOf, isInstance, type McpDependencies, type ToolHolder } from './dependencies.ts'
import type { InstanceFinder, ReadyInstance } from './instances-system.ts'

/** Maximum age of stored tools that are returned without listing them again. */
const FRESH_MS = 5 * 60_000
/** Timeout for listing a server's tools, in milliseconds. */
const READ_TIMEOUT_MS = 20_000

/**
 * A list of tools: a server's public tools, or the tools that it offers to an account. `holder` is the row that stores
 * them.
 */
interface Source {
  holder: ToolHolder
  known: KnownTools
  /** Returns the endpoint to list the tools. Throws McpError if the account cannot be used. */
  open(): Promise<McpEndpoint>
}

/**
 * Lists the tools of servers, at most every five minutes unless the caller requests a refresh. Concurrent callers
 * share one request. Tools offered to an account are stored with its instance, and public tools with the server.
 */
export class ToolReader {
  readonly #deps: Pick<McpDependencies, 'connections'>
  readonly #instances: Pick<InstanceFinder, 'findOwn'>
  readonly #lists: Pick<ToolLists, 'forget'>
  readonly #underWay = new Map<string, Promise<ToolList>>()

  constructor(
    deps: Pick<McpDependencies, 'connections'>,
    instances: Pick<InstanceFinder, 'findOwn'>,
    lists: Pick<ToolLists, 'forget'>,
  ) {
    this.#deps = deps
    this.#instances = instances
    this.#lists = lists
  }

  /**
   * Returns a server with its tools. With `refresh`, lists the tools now. If the server doesn't respond, returns the
   * last known tools, with the reason in `error`. Throws mcp.server_not_found.
   */
  async serverWithTools(
    scope: Scope<'mcp:read'>,
    serverId: string,
    refresh: boolean,
  ): Promise<ServerWithTools> {
    const server = await readServer(scope, serverId)
    const source = this.#sourceOf(server, scope)
    if (source === null)
      return viewWithTools(server, viewTools(lastKnown(server), server.instance?.error ?? null))
    const { known } = source
    const isFresh =
      known.tools !== null && known.readAt !== null && Date.now() - Date.parse(known.readAt) < FRESH_MS
    return viewWithTools(
      server,
      isFresh && !refresh ? viewTools(known, null) : await this.#readOnce(source, scope),
    )
  }

  #sourceOf(server: ServerOfCaller, { organizationId, userId, sql }: Scope<'mcp:read'>): Source | null {
    const { id, url, authType, instance } = server
    if (authType === 'none') {
      const holder = { table: 'mcp_servers', id, url } as const
      const endpoint = {
        key: connectionKey(id, url),
        url,
        net: 'guarded',
        headers: async () => ({}),
        toolsChanged: () => this.#lists.forget(sql, holder),
      } as const
      return { holder, known: server.shared, open: async () => endpoint }
    }
    if (!instance?.isActive) return null
    return {
      holder: holderOf({ id: instance.id, organizationId, userId }),
      known: instance,
      open: async () => {
        const [ready] = await this.#instances.findOwn(userId, organizationId, [instance.id], 'mcp:read')
        if (!ready) throw new McpError('unauthorized', sentence('mcp.connection_unusable'))
        return ready.endpoint
      },
    }
  }

  #readOnce(source: Source, scope: Scope<'mcp:read'>): Promise<ToolList> {
    const { id } = source.holder
    const underway = this.#underWay.get(id)
    if (underway) return underway
    const reading = this.#read(source, scope).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, reading)
    return reading
  }

  async #read({ holder, known, open }: Source, scope: Scope<'mcp:read'>): Promise<ToolList> {
    const late = AbortSignal.timeout(READ_TIMEOUT_MS)
    let tools: McpToolRecord[]
    try {
      const connection = await this.#deps.connections.open(await open(), late)
      const read = await connection.listTools(late)
      tools = await recordsOf(read)
    } catch (error) {
      if (error === late.reason)
        return viewTools(known, sentence('mcp.server_timeout', { seconds: READ_TIMEOUT_MS / 1000 }))
      if (error instanceof McpError) return viewTools(known, error.message)
      throw error
    }
    const { readAt, changedAt } = await storeTools(scope.sql, holder, scope, tools)
    return { tools, readAt, changedAt, error: null }
  }
}

/** Returns the last known tools of the caller's instance, or else the server's public tools. */
const lastKnown = ({ instance, shared }: ServerOfCaller): KnownTools => (instance?.tools ? instance : shared)

const viewTools = ({ tools, readAt, changedAt }: KnownTools, error: string | null): ToolList => ({
  tools: tools ?? [],
  readAt: tools === null ? null : readAt,
  changedAt,
  error,
})

interface Listing {
  tools: Promise<McpToolRecord[]>
  /** Number of waiting callers. The request is aborted when no caller waits. */
  waiting: number
  left: AbortController
}

/** Lists the tools that servers offer to instances, and stores them with the instances. */
export class ToolLists {
  readonly #deps: Pick<McpDependencies, 'connections' | 'log'>
  readonly #underWay = new Map<string, Listing>()
  readonly #forgetting = new Set<string>()

  constructor(deps: Pick<McpDependencies, 'connections' | 'log'>) {
    this.#deps = deps
  }

  /** Lists the tools now. Concurrent callers share one request. Rejects with an McpError or the signal's reason. */
  async list(instance: ReadyInstance, signal: AbortSignal): Promise<McpToolRecord[]> {
    signal.throwIfAborted()
    const { key } = instance.endpoint
    const listing = this.#underWay.get(key) ?? this.#begin(instance)
    listing.waiting += 1
    try {
      return await rejectOnAbort(listing.tools, signal)
    } finally {
      listing.waiting -= 1
      if (listing.waiting === 0) {
        if (this.#underWay.get(key) === listing) this.#underWay.delete(key)
        listing.left.abort()
      }
    }
  }

  /** Records that stored tools are outdated, so that the next reader lists them again. Never throws. */
  forget(sql: TenantSql, holder: ToolHolder): void {
    const { id } = holder
    if (this.#forgetting.has(id)) return
    this.#forgetting.add(id)
    const marked =
      holder.table === 'mcp_servers'
        ? sql`update mcp_servers set tools_read_at = null where id = ${id} and url = ${holder.url}`
        : sql`update mcp_instances set tools_read_at = null where ${isInstance(sql, holder)}`
    marked
      .catch((error: unknown) =>
        this.#deps.log.warn(
          { err: error, table: holder.table, id },
          'the tools of an MCP server could not be marked as outdated',
        ),
      )
      .finally(() => this.#forgetting.delete(id))
  }

  #begin(instance: ReadyInstance): Listing {
    const left = new AbortController()
    const listing = { tools: this.#read(instance, left.signal), waiting: 0, left }
    this.#underWay.set(instance.endpoint.key, listing)
    return listing
  }

  async #read(instance: ReadyInstance, signal: AbortSignal): Promise<McpToolRecord[]> {
    const { connections } = this.#deps
    const list = await connections
      .open(instance.endpoint, signal)
      .then((connection) => connection.listTools(signal))
      .catch((error: unknown) => {
        noteNeededScope(this.#deps, instance, error)
        throw error
      })
    const listed = await recordsOf(list)
    await this.#keep(instance, listed)
    return listed
  }

  /**
   * Stores the tools. The audit log names the owner as the actor, because other users use the account with the
   * owner's permission.
   */
  async #keep(instance: ReadyInstance, tools: McpToolRecord[]): Promise<void> {
    const { id, organizationId, userId, sql } = instance
    const client = { address: '', userAgent: null, language: null, requestId: newId() }
    const owner = { organizationId, userId, apiKeyId: null, client }
    try {
      await storeTools(sql, holderOf(instance), owner, tools)
    } catch (error) {
      this.#deps.log.error({ err: error, instanceId: id }, 'the tools of an MCP instance could not be stored')
    }
  }
}

/** Returns the listed tools, followed by those that are omitted from the list. */
async function recordsOf({ tools, omitted }: McpToolList): Promise<McpToolRecord[]> {
  const records = new Map<string, McpToolRecord>()
  for (const tool of tools) records.set(tool.name, await recordOf(tool))
  for (const { name, reason } of omitted)
    if (name !== '' && !records.has(name))
      records.set(name, { name, description: '', input_schema: { type: 'object' }, left_out: reason })
  return [...records.values()]
}

async function recordOf({ name, description, inputSchema }: McpTool): Promise<McpToolRecord> {
  const adapted = await adaptOnce(inputSchema)
  const record = { name, description, input_schema: inputSchema }
  return 'refused' in adapted ? { ...record, left_out: adapted.refused } : record
}

/** Names of the tools that were added, removed or changed. */
interface Difference {
  added: string[]
  removed: string[]
  changed: string[]
}

/** Maximum number of names in each list of an audit entry. */
const NAMES_LISTED_MAX = 100

/**
 * Stores the tools that a server has just listed. If they differ from the known tools, also stores the time of the
 * change. For an instance, records the changed names in the audit log, because a server may change descriptions that
 * the user has reviewed.
 */
async function storeTools(
  sql: TenantSql,
  holder: ToolHolder,
  reader: Actor & { organizationId: string },
  tools: McpToolRecord[],
): Promise<{ readAt: string; changedAt: string | null }> {
  return sql.begin(async (tx) => {
    if (holder.table === 'mcp_servers') {
      const isServer = tx`id = ${holder.id} and url = ${holder.url}`
      return (await writeTools(tx, tx`mcp_servers`, isServer, tools)).stored
    }
    const { stored, difference } = await writeTools(tx, tx`mcp_instances`, isInstance(tx, holder), tools)
    if (difference)
      await recordEvent(tx, reader.organizationId, reader, {
        action: 'mcp_instance.tools_changed',
        recordId: holder.id,
        after: {
          added: named(difference.added),
          removed: named(difference.removed),
          changed: named(difference.changed),
        },
      })
    return stored
  })
}

/** Writes the tools to the row. The difference is null if no tools changed or none were known. */
async function writeTools(
  tx: TenantTransaction,
  table: Fragment,
  isIt: Fragment,
  tools: McpToolRecord[],
): Promise<{ stored: { readAt: string; changedAt: string | null }; difference: Difference | null }> {
  const given = JSON.stringify(tools)
  const [row] = await tx<{ isSame: boolean; difference: Difference | null }[]>`
      select coalesce(tools::jsonb = ${given}::text::jsonb, false) as "isSame",
        case when tools::jsonb <> ${given}::text::jsonb then (
        select json_build_object(
          'added', coalesce(json_agg(name) filter (where before is null), '[]'),
          'removed', coalesce(json_agg(name) filter (where after is null), '[]'),
          'changed', coalesce(json_agg(name) filter (where before is not null and after is not null), '[]'))
        from (
          select coalesce(b.tool ->> 'name', a.tool ->> 'name') as name, b.tool as before, a.tool as after
          from jsonb_array_elements(held.tools::jsonb) b (tool)
          full join jsonb_array_elements(${given}::text::jsonb) a (tool) on a.tool ->> 'name' = b.tool ->> 'name'
          where b.tool is distinct from a.tool) as others)
      end as difference
      from ${table} held where ${isIt} for no key update`
  const difference = row?.difference ?? null
  const isChanged =
    difference !== null && Object.values(difference).some((names: string[]) => names.length > 0)
  const [stored] = await tx<{ readAt: string; changedAt: string | null }[]>`
      update ${table} set tools_read_at = now()
        ${row?.isSame ? tx`` : tx`, tools = ${given}::text::json, updated_at = now()`}
        ${isChanged ? tx`, tools_changed_at = now()` : tx``}
      where ${isIt} returning tools_read_at as "readAt", tools_changed_at as "changedAt"`
  return {
    stored: stored ?? { readAt: new Date().toISOString(), changedAt: null },
    difference: isChanged ? difference : null,
  }
}

const named = (names: string[]): string[] => names.slice(0, NAMES_LISTED_MAX)

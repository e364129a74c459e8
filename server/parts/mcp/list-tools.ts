import { newId } from '#database/new-id.ts'
import type { McpToolRecord } from '#database/schema/mcp.ts'
import { rejectOnAbort } from '#platform/mcp/reject-on-abort.ts'
import { instanceOf, type McpDependencies } from './dependencies.ts'
import type { ReadyInstance } from './find-instances.ts'
import { storeTools } from './store-tools.ts'
import { noteNeededScope } from './wider-scope.ts'

interface Listing {
  tools: Promise<McpToolRecord[]>
  /** How many wait for it; when none does any more, it ends. */
  waiting: number
  left: AbortController
}

/** Has servers list what they offer to an instance, and keeps it with that instance. */
export class ToolLists {
  readonly #deps: Pick<McpDependencies, 'connections' | 'database' | 'log'>
  readonly #underWay = new Map<string, Listing>()
  readonly #forgetting = new Set<string>()

  constructor(deps: Pick<McpDependencies, 'connections' | 'database' | 'log'>) {
    this.#deps = deps
    deps.connections.onToolsChanged((key) => this.forget(instanceOf(key)))
  }

  /** Asked now; who asks meanwhile waits for the same answer. Rejects with an McpError or the signal's reason. */
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

  /** What is kept of an instance is not what its server has any more: whoever wants it next asks. Never throws. */
  forget(instanceId: string): void {
    if (this.#forgetting.has(instanceId)) return
    this.#forgetting.add(instanceId)
    const { database, log } = this.#deps
    database.sql`update mcp_instances set tools_read_at = null where id = ${instanceId}`
      .catch((error: unknown) => log.warn({ err: error, instanceId }, 'old tools of an MCP instance stay'))
      .finally(() => this.#forgetting.delete(instanceId))
  }

  #begin(instance: ReadyInstance): Listing {
    const left = new AbortController()
    const listing = { tools: this.#read(instance, left.signal), waiting: 0, left }
    this.#underWay.set(instance.endpoint.key, listing)
    return listing
  }

  async #read(instance: ReadyInstance, signal: AbortSignal): Promise<McpToolRecord[]> {
    const { connections } = this.#deps
    const { tools } = await connections
      .open(instance.endpoint, signal)
      .then((connection) => connection.listTools(signal))
      .catch((error: unknown) => {
        noteNeededScope(this.#deps, instance.id, error)
        throw error
      })
    const listed = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    }))
    await this.#keep(instance, listed)
    return listed
  }

  /** In the audit it is the owner whose account has found other tools: it is by his leave that they are used. */
  async #keep({ id, organizationId, userId }: ReadyInstance, tools: McpToolRecord[]): Promise<void> {
    const client = { address: '', userAgent: null, requestId: newId() }
    const owner = { organizationId, userId, apiKeyId: null, client }
    try {
      await storeTools(this.#deps, { table: 'mcp_instances', id }, owner, tools)
    } catch (error) {
      this.#deps.log.error({ err: error, instanceId: id }, 'the tools of an MCP instance were not kept')
    }
  }
}

import type { McpToolRecord } from '#database/schema/mcp.ts'
import type { Scope } from '#platform/access/scope.ts'
import type { McpEndpoint } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { type ServerWithTools, type ToolList, viewWithTools } from './catalogue-schemas.ts'
import { connectionKey, type McpDependencies } from './dependencies.ts'
import type { InstanceFinder } from './find-instances.ts'
import { type KnownTools, readServer, type ServerOfCaller } from './read-servers.ts'
import { storeTools, type ToolHolder } from './store-tools.ts'

/** Tools that were read so recently are not read again. */
const FRESH_MS = 5 * 60_000
/** How long a server may take to say what its tools are. */
const READ_TIMEOUT_MS = 20_000

/** Where tools are read: for everybody, or with one person's account. */
interface Source {
  holder: ToolHolder
  known: KnownTools
  /** Throws McpError where it can not be asked. */
  open(): Promise<McpEndpoint>
}

/**
 * Reads which tools servers have: live, and not more often than every five minutes; whoever asks meanwhile waits for
 * the same answer. What a server offers to an account is kept with that connection; what it offers without one, for all.
 */
export class ToolReader {
  readonly #deps: McpDependencies
  readonly #instances: Pick<InstanceFinder, 'findOwn'>
  readonly #underWay = new Map<string, Promise<ToolList>>()

  constructor(deps: McpDependencies, instances: Pick<InstanceFinder, 'findOwn'>) {
    this.#deps = deps
    this.#instances = instances
  }

  /**
   * A server with its tools; `refresh`: read now, however recently they were. Where the server does not answer, its
   * tools are those that were last read, and `error` says why. Throws mcp.server_not_found.
   */
  async serverWithTools(
    scope: Scope<'mcp:read'>,
    serverId: string,
    refresh: boolean,
  ): Promise<ServerWithTools> {
    const server = await readServer(this.#deps, scope, serverId)
    const source = this.#sourceOf(server, scope)
    if (source === null)
      return viewWithTools(server, shown(lastKnown(server), server.instance?.error ?? null))
    const { known } = source
    const isFresh =
      known.tools !== null && known.readAt !== null && Date.now() - Date.parse(known.readAt) < FRESH_MS
    return viewWithTools(
      server,
      isFresh && !refresh ? shown(known, null) : await this.#readOnce(source, scope),
    )
  }

  #sourceOf(server: ServerOfCaller, scope: Scope<'mcp:read'>): Source | null {
    const { id, url, authType, instance } = server
    if (authType === 'none') {
      const endpoint = {
        key: connectionKey(id, url),
        url,
        net: 'guarded',
        headers: async () => ({}),
      } as const
      return { holder: { table: 'mcp_servers', id, url }, known: server.shared, open: async () => endpoint }
    }
    if (!instance?.isActive) return null
    return {
      holder: { table: 'mcp_instances', id: instance.id },
      known: instance,
      open: async () => {
        const [ready] = await this.#instances.findOwn(
          scope.userId,
          scope.organizationId,
          [instance.id],
          'mcp:read',
        )
        if (!ready)
          throw new McpError(
            'unauthorized',
            'This connection can not be used. Please connect your account again.',
          )
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
      tools = read.tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      }))
    } catch (error) {
      if (error === late.reason)
        return shown(known, `The server did not answer within ${READ_TIMEOUT_MS / 1000} seconds.`)
      if (error instanceof McpError) return shown(known, error.message)
      throw error
    }
    const { readAt, changedAt } = await storeTools(this.#deps, holder, scope, tools)
    return { tools, readAt, changedAt, error: null }
  }
}

/** Without a way to ask: what the caller's own connection once offered; what all are offered, where nothing is his own. */
const lastKnown = ({ instance, shared }: ServerOfCaller): KnownTools => (instance?.tools ? instance : shared)

const shown = ({ tools, readAt, changedAt }: KnownTools, error: string | null): ToolList => ({
  tools: tools ?? [],
  readAt: tools === null ? null : readAt,
  changedAt,
  error,
})

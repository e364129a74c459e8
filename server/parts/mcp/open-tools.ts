import { sentenceOf } from '#errors'
import type { McpConnection, McpTool } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { untilAborted } from '#platform/mcp/until-aborted.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import type { McpDesk } from './desk.ts'
import type { ReadyInstance } from './find-instances.ts'
import { nameTools } from './name-tools.ts'

/** How long a server may take to say what it has, where others have said it. */
const PATIENCE_MS = 10_000
/** How long a tool may take (spec, Limits). */
const CALL_MS_MAX = 30_000
/** What a model is offered at once, of all servers together: more no provider takes. */
export const TOOLS_MAX = 128

export interface FailedInstance {
  instanceId: string
  serverName: string
  /** It has not answered in time. */
  isTooSlow: boolean
  /** A sentence for the person. */
  error: string
}

/** What is asked of openTools, where that is something else than usual. */
export interface OpenBounds {
  /** TOOLS_MAX where absent. */
  toolsMax?: number
  /** How long servers may take where none has answered: 10 seconds where absent. */
  waitMs?: number
  /** Names of tools that are there beside these, and count with them. */
  reserved?: readonly string[]
}

export interface OpenTools {
  tools: RunnableTool[]
  failed: FailedInstance[]
}

interface OfferedTool {
  instance: ReadyInstance
  connection: McpConnection
  tool: McpTool
}

/**
 * Instances as tools of a model. All servers are asked at once; one that fails is left out and named, and so is one that
 * has not answered after 10 seconds, or later where no other has. Of too many tools each server has its share, from
 * the beginning of its list. Rejects only with the signal's reason.
 */
export async function openTools(
  desk: Pick<McpDesk, 'connections' | 'log'>,
  instances: readonly ReadyInstance[],
  signal: AbortSignal,
  { toolsMax = TOOLS_MAX, waitMs = PATIENCE_MS, reserved = [] }: OpenBounds = {},
): Promise<OpenTools> {
  const failed: FailedInstance[] = []
  const patience = new Patience(waitMs)
  const inTime = AbortSignal.any([signal, patience.signal])
  const listOne = async (instance: ReadyInstance): Promise<OfferedTool[]> => {
    try {
      const listed = await untilAborted(listTools(desk, instance, inTime), inTime)
      patience.shorten()
      return listed
    } catch (error) {
      signal.throwIfAborted()
      const { id: instanceId, serverName } = instance
      failed.push({ instanceId, serverName, ...describe(desk, error, patience.signal) })
      return []
    }
  }
  try {
    const lists = await Promise.all(instances.map(listOne))
    const offered = takeInTurns(lists, Math.max(0, toolsMax - reserved.length))
    const names = nameTools(
      offered.map(({ instance, tool }) => ({
        name: tool.name,
        ownerId: instance.id,
        prefix: instance.toolkitSlug,
      })),
      reserved,
    )
    return { tools: offered.map((each, index) => runnable(each, names[index] as string)), failed }
  } finally {
    patience.end()
  }
}

/** Ends at last, or when the usual time is over and a server has answered. */
class Patience {
  readonly #late = new AbortController()
  readonly #last: NodeJS.Timeout
  readonly #usual: NodeJS.Timeout
  #isUsualOver = false
  #isShort = false

  constructor(waitMs: number) {
    this.#last = setTimeout(() => this.#late.abort(), waitMs)
    this.#usual = setTimeout(() => {
      this.#isUsualOver = true
      if (this.#isShort) this.#late.abort()
    }, PATIENCE_MS)
  }

  get signal(): AbortSignal {
    return this.#late.signal
  }

  /** A server has answered. */
  shorten(): void {
    this.#isShort = true
    if (this.#isUsualOver) this.#late.abort()
  }

  end(): void {
    clearTimeout(this.#last)
    clearTimeout(this.#usual)
  }
}

async function listTools(
  { connections }: Pick<McpDesk, 'connections'>,
  instance: ReadyInstance,
  signal: AbortSignal,
): Promise<OfferedTool[]> {
  const connection = await connections.open(instance.endpoint, signal)
  const { tools } = await connection.listTools(signal)
  return tools.map((tool) => ({ instance, connection, tool }))
}

function describe(
  { log }: Pick<McpDesk, 'log'>,
  error: unknown,
  late: AbortSignal,
): Pick<FailedInstance, 'isTooSlow' | 'error'> {
  const isMcpError = error instanceof McpError
  if (late.aborted || (isMcpError && error.kind === 'timeout'))
    return { isTooSlow: true, error: sentenceOf('mcp.timed_out') }
  if (isMcpError) return { isTooSlow: false, error: error.message }
  log.error({ err: error }, 'the tools of an MCP instance can not be listed')
  return { isTooSlow: false, error: sentenceOf('server.error') }
}

/** The first of each list, then the second of each, and so on; in the order of the lists. */
function takeInTurns<T>(lists: readonly (readonly T[])[], most: number): T[] {
  const shares = lists.map(() => 0)
  let left = most
  for (let turn = 0, took = true; took && left > 0; turn += 1) {
    took = false
    for (const [index, list] of lists.entries()) {
      if (left === 0 || turn >= list.length) continue
      shares[index] = turn + 1
      left -= 1
      took = true
    }
  }
  return lists.flatMap((list, index) => list.slice(0, shares[index]))
}

function runnable({ connection, tool }: OfferedTool, name: string): RunnableTool {
  return {
    definition: { name, description: tool.description, parameters: tool.inputSchema },
    timeoutMs: CALL_MS_MAX,
    async run(input, signal) {
      try {
        const options = { signal, timeoutMs: CALL_MS_MAX }
        const { output, isError, error } = await connection.callTool(tool.name, input, options)
        return isError
          ? { output: null, successful: false, error }
          : { output: asData(output), successful: true, error: null }
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof McpError) return { output: null, successful: false, error: error.message }
        throw error
      }
    },
  }
}

/** Many servers write their data as text: so nextPageToken and the like stand where they belong. */
function asData(output: unknown): unknown {
  if (typeof output !== 'string' || !/^\s*[{[]/.test(output)) return output
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}

import { type McpConnection, McpError, type McpTool } from '#platform/mcp/connection.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import type { McpDesk } from './desk.ts'
import type { ReadyInstance } from './find-instances.ts'
import { nameTools } from './name-tools.ts'

/** How long a server may take to say what it has. */
const LIST_MS_MAX = 10_000
/** How long a tool may take (spec, Limits). */
const CALL_MS_MAX = 30_000
/** What a model is offered at once, of all servers together: more no provider takes. */
export const TOOLS_MAX = 128
const TOO_SLOW = 'MCP server connection timed out. The server may be unavailable.'

export interface FailedInstance {
  instanceId: string
  serverName: string
  /** A sentence for the person. */
  error: string
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
 * Instances as tools of a model. All servers are asked at once; one that fails, or takes longer than 10 seconds, is left
 * out and named. Of more than 128 tools each server has its share, from the beginning of its list. `reserved`: names of
 * tools that are there beside these. Rejects only with the signal's reason.
 */
export async function openTools(
  desk: Pick<McpDesk, 'connections' | 'log'>,
  instances: readonly ReadyInstance[],
  signal: AbortSignal,
  reserved: readonly string[] = [],
): Promise<OpenTools> {
  const failed: FailedInstance[] = []
  const lists = await Promise.all(
    instances.map((instance) =>
      listTools(desk, instance, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        failed.push({
          instanceId: instance.id,
          serverName: instance.serverName,
          error: sentenceOf(desk, error),
        })
        return []
      }),
    ),
  )
  const offered = takeInTurns(lists, Math.max(0, TOOLS_MAX - reserved.length))
  const names = nameTools(
    offered.map(({ instance, tool }) => ({
      name: tool.name,
      ownerId: instance.id,
      prefix: instance.toolkitSlug,
    })),
    reserved,
  )
  return { tools: offered.map((each, index) => runnable(each, names[index] as string)), failed }
}

async function listTools(
  { connections }: Pick<McpDesk, 'connections'>,
  instance: ReadyInstance,
  signal: AbortSignal,
): Promise<OfferedTool[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS_MAX)])
  const connection = await connections.open(instance.endpoint, inTime)
  const { tools } = await connection.listTools(inTime)
  return tools.map((tool) => ({ instance, connection, tool }))
}

function sentenceOf({ log }: Pick<McpDesk, 'log'>, error: unknown): string {
  if (error instanceof McpError) return error.kind === 'timeout' ? TOO_SLOW : error.message
  if ((error as Error | null)?.name === 'TimeoutError') return TOO_SLOW
  log.error({ err: error }, 'the tools of an MCP instance can not be listed')
  return 'Something went wrong on our side.'
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

import { parseExactJson } from '#database/exact-json.ts'
import type { McpToolRecord } from '#database/schema/mcp.ts'
import { sentence } from '#errors'
import { callWithLinks } from '#platform/mcp/linked-resources.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import type { AdaptedSchema } from '#platform/mcp/tool-schemas/adapt.ts'
import { adaptOnce } from '#platform/mcp/tool-schemas/adapt-once.ts'
import type { RunnableTool } from '#platform/models/index.ts'
import { noteNeededScope } from './credentials.ts'
import { holderOf, type McpDependencies } from './dependencies.ts'
import type { InstanceFinder, ReadyInstance, SharedInstance } from './instances-system.ts'
import type { ToolLists } from './tools.ts'

/** Timeout for listing a server's tools if another server has responded, in milliseconds. */
const LIST_TIMEOUT_MS = 10_000
/** Timeout of a tool call, in milliseconds. @limit time of a tool call */
const CALL_MS_MAX = 30_000
/**
 * Maximum number of tools per model request, across all servers. No provider accepts more.
 * @limit tools of all servers in a model request
 */
export const TOOLS_MAX = 128

export interface FailedInstance {
  instanceId: string
  serverName: string
  /** True if the server did not respond in time. */
  isTooSlow: boolean
  /** Error sentence for the user. */
  error: string
}

export interface OpenBounds {
  /** Maximum number of tools, including `reserved`. Default: TOOLS_MAX. */
  toolsMax?: number
  /** Timeout in milliseconds while no server has responded. Default: 10 seconds. */
  waitMs?: number
  /** Names of the model's other tools. They count towards toolsMax, and opened tools get different names. */
  reserved?: readonly string[]
  /** Maximum total size of all tool definitions, in bytes. Default: no limit. */
  bytesMax?: number
}

/** A tool that no model can be offered, although its server responds. */
export interface LeftOutTool {
  name: string
  serverName: string
  /** Sentence about the tool. */
  reason: string
}

export interface OpenTools {
  tools: RunnableTool[]
  failed: FailedInstance[]
  /** The first tools that are left out, at most LEFT_OUT_TOOLS_MAX. */
  leftOut: LeftOutTool[]
}

export type SharedToolsOfAgent = Pick<OpenTools, 'tools' | 'leftOut'>

/** Maximum tools in the report of those that are left out. */
const LEFT_OUT_TOOLS_MAX = 20

/** Tells a model which tools are missing. Returns '' if none are. */
export const describeLeftOutTools = (leftOut: readonly LeftOutTool[]): string =>
  leftOut.length === 0
    ? ''
    : `You do not have these tools of connected services. Say so if the user needs one of them. ${leftOut
        .map(({ name, serverName, reason }) => `${validName(name)} (${serverName}): ${reason}`)
        .join(' ')}`

interface OfferedTool {
  instance: ReadyInstance
  tool: McpToolRecord
  adapted: AdaptedSchema
}

/** Dependencies of openTools, and of the tools that it opens. */
interface Opening extends Pick<McpDependencies, 'connections' | 'log'> {
  lists: ToolLists
}

/**
 * Opens the tools of instances for a model. Lists the tools of all servers concurrently, except for instances with
 * `freshTools`.
 *
 * Omits and reports servers that fail, or that don't respond in time. The timeout is 10 seconds if any server
 * responds, otherwise `waitMs`. If there are too many tools, each server gets an equal share, from the start of its
 * list. Leaves out and reports tools whose schema providers would refuse in any form. Rejects only if the signal aborts,
 * with its reason.
 */
export async function openTools(
  opening: Opening,
  instances: readonly (ReadyInstance & Partial<Pick<SharedInstance, 'freshTools'>>)[],
  signal: AbortSignal,
  { toolsMax = TOOLS_MAX, waitMs = LIST_TIMEOUT_MS, reserved = [], bytesMax }: OpenBounds = {},
): Promise<OpenTools> {
  const failed: FailedInstance[] = []
  const leftOut: LeftOutTool[] = []
  const deadline = new ListDeadline(waitMs)
  const listSignal = AbortSignal.any([signal, deadline.signal])
  const listOne = async (instance: (typeof instances)[number]): Promise<AsyncIterator<OfferedTool>> => {
    try {
      const listed = instance.freshTools ?? (await opening.lists.list(instance, listSignal))
      deadline.shorten()
      return usable(instance, listed, leftOut)
    } catch (error) {
      signal.throwIfAborted()
      const { id: instanceId, serverName } = instance
      failed.push({ instanceId, serverName, ...describe(opening, error, deadline.signal) })
      return usable(instance, [], leftOut)
    }
  }
  try {
    const lists = await Promise.all(instances.map(listOne))
    const offered = await takeRoundRobin(lists, Math.max(0, toolsMax - reserved.length), bytesMax)
    const names = nameToolsForModel(
      offered.map(({ instance, tool }) => ({
        name: tool.name,
        ownerId: instance.id,
        prefix: instance.toolkitSlug,
      })),
      reserved,
    )
    return {
      tools: offered.map((each, index) => runnable(opening, each, names[index] as string)),
      failed,
      leftOut,
    }
  } finally {
    deadline.end()
  }
}

/** Aborts after `waitMs` if no server has responded, otherwise after LIST_TIMEOUT_MS. */
class ListDeadline {
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
    }, LIST_TIMEOUT_MS)
  }

  get signal(): AbortSignal {
    return this.#late.signal
  }

  /** Records that a server has responded. */
  shorten(): void {
    this.#isShort = true
    if (this.#isUsualOver) this.#late.abort()
  }

  end(): void {
    clearTimeout(this.#last)
    clearTimeout(this.#usual)
  }
}

function describe(
  { log }: Pick<McpDependencies, 'log'>,
  error: unknown,
  late: AbortSignal,
): Pick<FailedInstance, 'isTooSlow' | 'error'> {
  const isMcpError = error instanceof McpError
  if (late.aborted || (isMcpError && error.kind === 'timeout'))
    return { isTooSlow: true, error: sentence('mcp.timed_out') }
  if (isMcpError) return { isTooSlow: false, error: error.message }
  log.error({ err: error }, 'the tools of an MCP instance could not be listed')
  return { isTooSlow: false, error: sentence('server.error') }
}

/** Yields the tools that models can be offered, and reports the others. */
async function* usable(
  instance: ReadyInstance,
  tools: readonly McpToolRecord[],
  leftOut: LeftOutTool[],
): AsyncGenerator<OfferedTool> {
  for (const tool of tools) {
    const adapted =
      tool.left_out === undefined ? await adaptOnce(tool.input_schema) : { refused: tool.left_out }
    if (!('refused' in adapted)) yield { instance, tool, adapted }
    else if (leftOut.length < LEFT_OUT_TOOLS_MAX)
      leftOut.push({ name: tool.name, serverName: instance.serverName, reason: adapted.refused })
  }
}

/**
 * Takes the first tool of each list, then the second of each, and so on, until the limits are reached. A list ends at
 * its first tool that doesn't fit. Returns the taken tools, list by list.
 */
async function takeRoundRobin(
  lists: readonly AsyncIterator<OfferedTool>[],
  most: number,
  bytesMax: number | undefined,
): Promise<OfferedTool[]> {
  const taken = lists.map((): OfferedTool[] => [])
  const ended = new Set<number>()
  let left = most
  let bytesLeft = bytesMax ?? 0
  while (left > 0 && ended.size < lists.length)
    for (const [index, list] of lists.entries()) {
      if (left === 0 || ended.has(index)) continue
      const { value: next } = await list.next()
      const bytes = next && bytesMax !== undefined ? bytesOf(next) : 0
      if (next && bytes <= bytesLeft) {
        taken[index]?.push(next)
        left -= 1
        bytesLeft -= bytes
      } else ended.add(index)
    }
  return taken.flat()
}

const bytesOf = ({ tool: { name, description }, adapted: { schema } }: OfferedTool): number =>
  Buffer.byteLength(JSON.stringify({ name, description, input_schema: schema }))

function runnable(opening: Opening, { instance, tool, adapted }: OfferedTool, name: string): RunnableTool {
  const { connections, lists } = opening
  const noteUnknown = (failure: string | null): void => {
    if (failure !== null && UNKNOWN_TOOL.test(failure)) lists.forget(instance.sql, holderOf(instance))
  }
  return {
    definition: { name, description: tool.description, parameters: adapted.schema },
    timeoutMs: CALL_MS_MAX,
    async run(input, signal) {
      try {
        const options = { signal, timeoutMs: CALL_MS_MAX }
        const connection = await connections.open(instance.endpoint, signal)
        const own = adapted.toServer(input)
        const { output, isError, error, files } = await callWithLinks(connection, tool.name, own, options)
        noteUnknown(error)
        return isError
          ? { output: null, successful: false, error }
          : { output: asData(output), successful: true, error: null, ...(files.length > 0 && { files }) }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof McpError)) throw error
        noteUnknown(error.message)
        noteNeededScope(opening, instance, error)
        return { output: null, successful: false, error: error.message }
      }
    },
  }
}

/**
 * Matches errors of servers and SDKs about an unknown tool. Error codes don't identify this error, because some
 * servers use the same code for invalid arguments.
 */
const UNKNOWN_TOOL = /unknown tool|no (such )?tool|tool\b.{0,200}\bnot found|method not found/is

/** Parses JSON that a server returns as text, so that fields such as nextPageToken are available. */
function asData(output: unknown): unknown {
  if (typeof output !== 'string' || !/^\s*[{[]/.test(output)) return output
  try {
    return parseExactJson(output)
  } catch {
    return output
  }
}

/** Time for which a server is skipped after a failure, so that not every message waits for it. */
const LEFT_OUT_MS = 60_000
const LEFT_OUT_MAX = 10_000

/** Opens the tools of connections that users share with agents. */
export class SharedTools {
  readonly #finder: Pick<InstanceFinder, 'findShared'>
  readonly #opening: Opening
  /** Times until which servers are skipped, oldest failure first. */
  readonly #leftOut = new Map<string, number>()

  constructor(finder: Pick<InstanceFinder, 'findShared'>, opening: Opening) {
    this.#finder = finder
    this.#opening = opening
  }

  /**
   * Opens the tools shared with an agent. Reuses lists from the last minute. A server that fails is skipped for a
   * minute, or until its account is reconnected. If the signal aborts, rejects with its reason.
   */
  async open(agentId: string, signal: AbortSignal, bounds: OpenBounds): Promise<SharedToolsOfAgent> {
    const instances = await this.#finder.findShared(agentId)
    const usable = instances.filter((instance) => !this.#isLeftOut(keyOf(instance)))
    if (usable.length === 0) return { tools: [], leftOut: [] }
    const { tools, failed, leftOut } = await openTools(this.#opening, usable, signal, bounds)
    const ids = new Set(failed.map(({ instanceId }) => instanceId))
    for (const instance of usable) if (ids.has(instance.id)) this.#leaveOut(keyOf(instance))
    return { tools, leftOut }
  }

  #isLeftOut(key: string): boolean {
    const until = this.#leftOut.get(key)
    return until !== undefined && until > Date.now()
  }

  #leaveOut(key: string): void {
    this.#leftOut.delete(key)
    const [oldest] = this.#leftOut.keys()
    if (this.#leftOut.size === LEFT_OUT_MAX && oldest !== undefined) this.#leftOut.delete(oldest)
    this.#leftOut.set(key, Date.now() + LEFT_OUT_MS)
  }
}

const keyOf = ({ endpoint, credentialsVersion }: SharedInstance): string =>
  `${endpoint.key} ${credentialsVersion}`

/** Maximum length of a tool's name that all providers accept. Google also requires a letter or underscore first. */
const NAME_CHARACTERS_MAX = 64

interface NamedTool {
  /** Name of the tool at its server. */
  name: string
  /** Id of the instance that offers the tool. */
  ownerId: string
  /** Prepended to the name if another instance has a tool with the same name. */
  prefix: string
}

/**
 * Returns a valid and unique name for each tool, in the same order. The name is the server's name for the tool. If
 * several instances use that name or it is `reserved`, the prefix is added. If the result is still taken, a number is
 * added.
 */
export function nameToolsForModel(tools: readonly NamedTool[], reserved: readonly string[] = []): string[] {
  const owners = new Map(reserved.map((name) => [name, new Set([''])]))
  for (const { name, ownerId } of tools) {
    const valid = validName(name)
    owners.set(valid, (owners.get(valid) ?? new Set()).add(ownerId))
  }
  const taken = new Set(reserved)
  return tools.map(({ name, prefix }) => {
    const isShared = (owners.get(validName(name))?.size ?? 0) > 1
    const preferred = validName(isShared ? `${prefix}_${name}` : name)
    const free = uniqueName(preferred, taken)
    taken.add(free)
    return free
  })
}

function validName(name: string): string {
  const valid = name.replace(/[^A-Za-z0-9_-]/g, '_')
  return (/^[A-Za-z_]/.test(valid) ? valid : `_${valid}`).slice(0, NAME_CHARACTERS_MAX)
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`
    const candidate = name.slice(0, NAME_CHARACTERS_MAX - end.length) + end
    if (!taken.has(candidate)) return candidate
  }
}

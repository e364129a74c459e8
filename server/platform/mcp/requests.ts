import { ProtocolError, type RequestOptions, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { isRecord } from '../http/is-record.ts'
import { type Call, runCall } from './call.ts'
import type { McpCallOptions, McpProgress, McpToolList, McpToolResult } from './connection.ts'
import { describeFailure } from './describe-failure.ts'
import { unmarked } from './exact-numbers.ts'
import type { Link } from './link.ts'
import { McpError, SessionLost, tooSlow } from './mcp-error.ts'
import { readResult } from './read-result.ts'
import { TOOL_PAGES_MAX, ToolList } from './read-tools.ts'
import { isLostSession } from './session-errors.ts'

const CALL_TIMEOUT_MS = 30_000
const LIST_TIMEOUT_MS = 30_000
/** JSON-RPC error code: required headers that repeat arguments were missing (SEP-2243). */
const HEADER_MISMATCH = -32_020
/** Added to the SDK's timeout so that Parley's own, more specific timeout fires first. */
const SLACK_MS = 5_000

export function askForTools(link: Link, signal: AbortSignal): Promise<McpToolList> {
  return ask(link, { signal, timeoutMs: LIST_TIMEOUT_MS }, (call) => readPages(link, call))
}

async function readPages(link: Link, call: Call): Promise<McpToolList> {
  const list = new ToolList(link.client.getProtocolEra() === 'modern')
  if (!link.client.getServerCapabilities()?.tools) return list
  let cursor: string | undefined
  for (let page = 0; page < TOOL_PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const options = { signal: call.left, timeout: LIST_TIMEOUT_MS + SLACK_MS }
    const answer = await link.client.request({ method: 'tools/list', params }, ANYTHING, options)
    unmarked(answer)
    if (!list.add(answer)) return list
    const { nextCursor } = answer as { nextCursor?: unknown }
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) break
    if (page === TOOL_PAGES_MAX - 1) list.isCut = true
    cursor = nextCursor
  }
  link.inputSchemas = list.inputSchemas
  return list
}

export function callTool(
  link: Link,
  name: string,
  input: Record<string, unknown>,
  { signal, timeoutMs = CALL_TIMEOUT_MS, onProgress }: McpCallOptions,
): Promise<McpToolResult> {
  return ask(link, { signal, timeoutMs }, async (call) => {
    let hasProgress = false
    const onprogress = (progress: McpProgress): void => {
      hasProgress = true
      onProgress?.(progress)
    }
    const options = {
      signal: call.left,
      timeout: timeoutMs + SLACK_MS,
      ...(onProgress && { onprogress }),
    }
    const once = (): Promise<unknown> => callOnce(link, { name, arguments: input }, options)
    const result = await once().catch(async (error: unknown) => {
      if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error
      await readPages(link, call)
      return once()
    })
    if (!isRecord(result)) throw new McpError('protocol', sentence('mcp.not_mcp', { host: link.host }))
    const read = readResult(unmarked(result) as typeof result)
    const mayBeLost = link.hasSession && !hasProgress && !isAboutSessions(name, input)
    if (mayBeLost && read.error !== null && isLostSession(read.error)) throw new SessionLost(read.error, read)
    return read
  })
}

/** A tool with sessions of its own means them, and it has run. */
const isAboutSessions = (name: string, input: Record<string, unknown>): boolean =>
  /session/i.test(name + JSON.stringify(input))

/**
 * Calls a tool. Avoids the SDK's callTool, which rejects results that don't match the server's output schema. Only
 * tools whose arguments are repeated in headers need callTool, which then receives no output schema.
 */
function callOnce(
  link: Link,
  params: { name: string; arguments: Record<string, unknown> },
  options: RequestOptions,
): Promise<unknown> {
  const inputSchema = link.inputSchemas.get(params.name)
  if (!inputSchema) return link.client.request({ method: 'tools/call', params }, ANYTHING, options)
  const toolDefinition = { name: params.name, inputSchema: inputSchema as { type: 'object' } }
  return link.client.callTool(params, { ...options, toolDefinition })
}

export function request(
  link: Link,
  method: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  return ask(link, { signal, timeoutMs: CALL_TIMEOUT_MS }, (call) => {
    const options = { signal: call.left, timeout: CALL_TIMEOUT_MS + SLACK_MS }
    return link.client.request({ method, params }, ANYTHING, options).then((result) => unmarked(result))
  })
}

/** Runs `work` as a call with a timeout, and converts the SDK's errors with `describeFailure`. */
function ask<Result>(
  link: Link,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  link.refill()
  const late = (): Error => tooSlow(link.host, timeoutMs)
  return runCall({ signal, timeoutMs, late, running: link.running }, (call) =>
    work(call).catch((error: unknown) => {
      throw describeFailure(link.host, error)
    }),
  )
}

/**
 * A schema that accepts any result. Callers validate results themselves, so that one invalid tool doesn't fail the
 * whole list.
 */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'parley', validate: (value) => ({ value }) },
}

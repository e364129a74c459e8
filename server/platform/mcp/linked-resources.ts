import { isRecord } from '../http/is-record.ts'
import type { McpConnection, McpToolResult } from './connection.ts'
import { McpError } from './mcp-error.ts'
import { type Part, partsOf } from './read-files.ts'
import { readResult } from './read-result.ts'

/** Limits per result: number of linked resources, and their total size in bytes of JSON. */
const LINKS_MAX = 5
const LINKED_BYTES_MAX = 8 * 1024 * 1024
/** Time for reading the linked resources of a result, in milliseconds. Part of the call's timeout. */
const READ_MS_MAX = 10_000
/** Time of the call's timeout that is left after reading, in milliseconds. */
const SPARE_MS = 1_000

/**
 * Calls a tool, and replaces links in its result with the linked resources. Asks only the tool's own server, over the
 * same connection, and never fetches a link as a URL. A link stays a link if its resource is too large or cannot be
 * read in time. Throws like McpConnection.callTool.
 */
export async function callWithLinks(
  connection: McpConnection,
  name: string,
  input: Record<string, unknown>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<McpToolResult> {
  const deadline = Date.now() + timeoutMs - SPARE_MS
  const result = await connection.callTool(name, input, { signal, timeoutMs })
  const raw = result.raw as Record<string, unknown>
  const parts = partsOf(raw)
  const msLeft = Math.min(READ_MS_MAX, deadline - Date.now())
  if (!parts.some(isLink) || !connection.capabilities['resources'] || msLeft <= 0) return result
  const late = AbortSignal.any([signal, AbortSignal.timeout(msLeft)])
  return readResult({ ...raw, content: await readLinks(connection, parts, late) })
}

async function readLinks(connection: McpConnection, parts: Part[], signal: AbortSignal): Promise<Part[]> {
  let links = 0
  let bytesLeft = LINKED_BYTES_MAX
  const read: Part[] = []
  for (const part of parts) {
    const isRead = isLink(part) && ++links <= LINKS_MAX && Number(part['size'] ?? 0) <= bytesLeft
    const resources = isRead ? await readLink(connection, part, signal) : []
    const bytes = resources.length === 0 ? 0 : JSON.stringify(resources).length
    const isKept = bytes > 0 && bytes <= bytesLeft
    if (isKept) bytesLeft -= bytes
    read.push(...(isKept ? resources : [part]))
  }
  return read
}

const isLink = ({ type, uri }: Part): boolean => type === 'resource_link' && typeof uri === 'string'

/** Reads a linked resource as embedded resources. Returns [] if the server doesn't return it in time. */
async function readLink(
  connection: McpConnection,
  { uri, name }: Part,
  signal: AbortSignal,
): Promise<Part[]> {
  try {
    const answer = await connection.request('resources/read', { uri }, signal)
    const contents = isRecord(answer) && Array.isArray(answer['contents']) ? answer['contents'] : []
    return contents.map((resource) => ({ type: 'resource', name, resource }))
  } catch (error) {
    if (signal.aborted || error instanceof McpError) return []
    throw error
  }
}

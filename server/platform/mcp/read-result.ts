import { sentence } from '#errors'
import type { McpToolResult } from './connection.ts'
import { McpError } from './mcp-error.ts'

/** Maximum size of a tool result for a model, in bytes of UTF-8 or JSON. */
const OUTPUT_BYTES_MAX = 1024 * 1024
/** Maximum size of a tool result that is forwarded to a client. Such results may contain images and files. */
const RAW_BYTES_MAX = 8 * 1024 * 1024
const ERROR_CHARACTERS_MAX = 2_000

/** Reads a server's unvalidated CallToolResult. Throws an McpError if the value is not an object. */
export function readResult(host: string, raw: unknown): McpToolResult {
  if (typeof raw !== 'object' || raw === null)
    throw new McpError('protocol', sentence('mcp.not_mcp', { host }))
  const { content, structuredContent, isError } = raw as Record<string, unknown>
  const parts = Array.isArray(content) ? content.filter(isPart) : []
  const output = bound(structuredContent ?? textOf(parts) ?? { content: parts.map(withoutMedia) })
  const failed = isError === true
  return {
    output,
    isError: failed,
    error: failed ? errorOf(textOf(parts) ?? output) : null,
    raw: boundRaw(raw, output, failed),
  }
}

type Part = Record<string, unknown> & { type: string }

const isPart = (part: unknown): part is Part =>
  typeof part === 'object' && part !== null && typeof (part as Part).type === 'string'

/** Joins the text of the parts. Returns null if any part is not text. */
function textOf(parts: Part[]): string | null {
  const texts = parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : null))
  return texts.some((text) => text === null) ? null : texts.join('\n')
}

/** Replaces the media in a part with the media's size in bytes. A model cannot use the media itself. */
function withoutMedia(part: Part): Record<string, unknown> {
  const { data, resource, ...rest } = part
  if (typeof data === 'string') return { ...rest, bytes: sizeOfBase64(data) }
  if (typeof resource !== 'object' || resource === null) return { ...rest }
  const { blob, ...contents } = resource as Record<string, unknown>
  return {
    ...rest,
    resource: typeof blob === 'string' ? { ...contents, bytes: sizeOfBase64(blob) } : contents,
  }
}

const sizeOfBase64 = (text: string): number => Math.floor((text.length * 3) / 4)

/** Returns a value unchanged, or its truncated text with a notice if the value is too large. */
function bound(value: unknown): unknown {
  const text = typeof value === 'string' ? value : write(value)
  const bytes = Buffer.byteLength(text)
  if (bytes <= OUTPUT_BYTES_MAX) return value
  return `${cutText(text)}\n[Truncated: the result has ${bytes} bytes, and at most ${OUTPUT_BYTES_MAX} are shown.]`
}

/** Truncates text without splitting a character. */
const cutText = (text: string): string =>
  Buffer.from(text.slice(0, OUTPUT_BYTES_MAX))
    .subarray(0, OUTPUT_BYTES_MAX)
    .toString()
    .replace(/\uFFFD$/u, '')

const errorOf = (output: unknown): string => {
  const text = (typeof output === 'string' ? output : write(output)).trim()
  return text === '' ? 'The tool failed without an error message.' : text.slice(0, ERROR_CHARACTERS_MAX)
}

function boundRaw(raw: unknown, output: unknown, isError: boolean): unknown {
  if (Buffer.byteLength(write(raw)) <= RAW_BYTES_MAX) return raw
  const text = typeof output === 'string' ? output : write(output)
  return { content: [{ type: 'text', text }], isError }
}

/** Serializes a value as JSON. Returns '' if the value is nested too deeply. */
function write(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

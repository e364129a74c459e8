import { sentence } from '#errors'
import type { McpToolResult } from './connection.ts'
import { McpError } from './mcp-error.ts'

/** What a model is given of one result, in bytes of UTF-8 or JSON. */
const OUTPUT_BYTES_MAX = 1024 * 1024
/** What a gateway passes on: pictures and files may be in it. */
const RAW_BYTES_MAX = 8 * 1024 * 1024
const ERROR_CHARACTERS_MAX = 2_000

/** A server's CallToolResult, which nobody has checked. Throws an McpError where it is none. */
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

/** The text of parts that are nothing but text; null where one is something else. */
function textOf(parts: Part[]): string | null {
  const texts = parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : null))
  return texts.some((text) => text === null) ? null : texts.join('\n')
}

/** A part as a model is told of it: what kind of media it is, and how much, instead of the media itself. */
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

/** Beyond the bound a value is its beginning, as text, with a word that it is. */
function bound(value: unknown): unknown {
  const text = typeof value === 'string' ? value : write(value)
  const bytes = Buffer.byteLength(text)
  if (bytes <= OUTPUT_BYTES_MAX) return value
  return `${cutText(text)}\n[Cut here: the result has ${bytes} bytes, and ${OUTPUT_BYTES_MAX} are read.]`
}

/** Never in the middle of a character. */
const cutText = (text: string): string =>
  Buffer.from(text.slice(0, OUTPUT_BYTES_MAX))
    .subarray(0, OUTPUT_BYTES_MAX)
    .toString()
    .replace(/\uFFFD$/u, '')

const errorOf = (output: unknown): string => {
  const text = (typeof output === 'string' ? output : write(output)).trim()
  return text === '' ? 'The tool failed and does not say why.' : text.slice(0, ERROR_CHARACTERS_MAX)
}

function boundRaw(raw: unknown, output: unknown, isError: boolean): unknown {
  if (Buffer.byteLength(write(raw)) <= RAW_BYTES_MAX) return raw
  const text = typeof output === 'string' ? output : write(output)
  return { content: [{ type: 'text', text }], isError }
}

/** What is nested deeper than can be written is nothing that anybody could read. */
function write(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

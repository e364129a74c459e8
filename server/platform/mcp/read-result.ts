import { isRecord } from '../http/is-record.ts'
import type { McpToolResult } from './connection.ts'
import { type Part, partsOf, readFiles } from './read-files.ts'

/** Maximum size of a tool result for a model, in bytes of UTF-8 or JSON. */
const OUTPUT_BYTES_MAX = 1024 * 1024
/** Maximum size of a tool result that is forwarded to a client. Such results may contain images and files. */
const RAW_BYTES_MAX = 8 * 1024 * 1024
const ERROR_CHARACTERS_MAX = 2_000

/** Reads a server's unvalidated CallToolResult. */
export function readResult(raw: Record<string, unknown>): McpToolResult {
  const { structuredContent, isError } = raw
  const parts = partsOf(raw)
  const output = bound(outputOf(parts, structuredContent))
  const failed = isError === true
  return {
    output,
    isError: failed,
    error: failed ? errorOf(textOf(parts) ?? output) : null,
    files: readFiles(parts),
    raw: boundRaw(raw, output, failed),
  }
}

/** Structured content repeats the text of a result, but not its resources. */
function outputOf(parts: Part[], structuredContent: unknown): unknown {
  const resources = parts.filter(({ type }) => type === 'resource' || type === 'resource_link')
  if (structuredContent === undefined || structuredContent === null)
    return textOf(parts) ?? { content: parts.map(withoutMedia) }
  return resources.length === 0
    ? structuredContent
    : { structuredContent, content: resources.map(withoutMedia) }
}

/** Joins the text of the parts. Returns null if any part is not text. */
function textOf(parts: Part[]): string | null {
  const texts = parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : null))
  return texts.some((text) => text === null) ? null : texts.join('\n')
}

/** Replaces the media in a part with the media's size in bytes. A model cannot use the media itself. */
function withoutMedia(part: Part): Record<string, unknown> {
  const { data, resource, ...rest } = part
  if (typeof data === 'string') return { ...rest, bytes: sizeOfBase64(data) }
  if (!isRecord(resource)) return rest
  const { blob, ...contents } = resource
  return {
    ...rest,
    resource: typeof blob === 'string' ? { ...contents, bytes: sizeOfBase64(blob) } : contents,
  }
}

const sizeOfBase64 = (text: string): number => Buffer.byteLength(text, 'base64')

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

import { isDeepStrictEqual } from 'node:util'
import { parseExactJson } from '#database/exact-json.ts'
import { isRecord } from '../http/is-record.ts'
import type { McpToolResult } from './connection.ts'
import { type Part, partsOf, readFiles } from './read-files.ts'

/** Maximum size of a tool result for a model, in bytes of UTF-8 or JSON. @limit result of a tool for a model */
const OUTPUT_BYTES_MAX = 1024 * 1024
/**
 * Maximum size of a tool result that is forwarded to a client. Such results may contain images and files.
 * @limit result of a tool that is forwarded to a client
 */
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
    error: failed ? errorOf(parts, structuredContent, output) : null,
    files: readFiles(parts),
    raw: boundRaw(raw, output, failed),
  }
}

/** Returns the structured content, with the text and the resources that it does not repeat. */
function outputOf(parts: Part[], structuredContent: unknown): unknown {
  if (structuredContent === undefined || structuredContent === null)
    return textOf(parts) ?? { content: parts.map(withoutMedia) }
  const texts = newTexts(parts, structuredContent)
  const content = parts.filter(
    (part) => part.type === 'resource' || part.type === 'resource_link' || texts.includes(part),
  )
  return content.length === 0 ? structuredContent : { structuredContent, content: content.map(withoutMedia) }
}

/**
 * Returns the parts with text that is not just the JSON of the structured content. SDKs repeat it for older clients. If a
 * tool returns no object, they wrap its value in `result`, and write a list as one text for each item.
 */
function newTexts(parts: Part[], structuredContent: unknown): Part[] {
  const texts = parts.filter(({ type, text }) => type === 'text' && isVisible(text))
  const isWrapped = isRecord(structuredContent) && Object.keys(structuredContent).join() === 'result'
  const known = [structuredContent, ...(isWrapped ? [structuredContent['result']] : [])]
  const values = texts.map(({ text }) => parsed(String(text)))
  const isKnown = (value: unknown): boolean => known.some((one) => isEqual(one, value))
  return isKnown(values)
    ? []
    : texts.filter(({ text }, index) => !isKnown(values[index]) && !known.includes(text))
}

const isVisible = (text: unknown): boolean => typeof text === 'string' && text.trim() !== ''

function parsed(text: string): unknown {
  try {
    return parseExactJson(text.trim())
  } catch {
    return text // not JSON
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other)
  } catch {
    return false // nested too deeply
  }
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

/** Returns the text of a failure, and after it the structured content that the text does not repeat. */
function errorOf(parts: Part[], structuredContent: unknown, output: unknown): string {
  const text = textOf(parts)?.trim()
  if (text === undefined) return write(output).slice(0, ERROR_CHARACTERS_MAX)
  const isRepeated = text !== '' && newTexts(parts, structuredContent).length === 0
  const data = isRecord(structuredContent) && !isRepeated ? write(structuredContent) : ''
  const share = Math.max(ERROR_CHARACTERS_MAX / 2, ERROR_CHARACTERS_MAX - data.length - 1)
  const error = [text.slice(0, data === '' ? ERROR_CHARACTERS_MAX : share), data].filter(Boolean).join('\n')
  return error.slice(0, ERROR_CHARACTERS_MAX) || WITHOUT_MESSAGE
}

const WITHOUT_MESSAGE = 'The tool failed without an error message.'

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

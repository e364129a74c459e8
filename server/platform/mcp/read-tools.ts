import { isExactNumber } from '#database/exact-json.ts'
import { sentence } from '#errors'
import { isRecord } from '../http/is-record.ts'
import { cleanText } from './clean-text.ts'
import type { McpTool, McpToolList, OmittedTool } from './connection.ts'
import { findHeaderFault, hasHeaders } from './parameter-headers.ts'

/** Maximum list pages and tools per server. Further tools are left out. */
export const TOOL_PAGES_MAX = 64
/** @limit tools of a server */
export const TOOLS_MAX = 1_000
const NAME_CHARACTERS_MAX = 128
/** @limit description of a tool (the rest is ignored) */
const DESCRIPTION_CHARACTERS_MAX = 2_000
/** @limit input schema of a tool */
const SCHEMA_BYTES_MAX = 64 * 1024
const SCHEMA_DEPTH_MAX = 64
/** Maximum number of unusable tools that are named. */
const OMITTED_MAX = 20
/** Maximum total size of a server's schemas and descriptions. @limit schemas and descriptions of a server's tools */
const TOOLS_BYTES_MAX = 4 * 1024 * 1024

/** Collects tools from the pages of a list, within limits. */
export class ToolList implements McpToolList {
  readonly tools: McpTool[] = []
  readonly omitted: OmittedTool[] = []
  isCut = false
  /** Input schemas of the tools whose arguments are repeated in headers (SEP-2243). */
  readonly inputSchemas = new Map<string, Record<string, unknown>>()
  readonly #repeatsArguments: boolean
  readonly #names = new Set<string>()
  #bytes = 0

  /** `repeatsArguments`: whether the server's protocol repeats arguments in headers. */
  constructor(repeatsArguments: boolean) {
    this.#repeatsArguments = repeatsArguments
  }

  /** Adds the tools of a page. Returns false if the list is full. */
  add(page: unknown): boolean {
    const { tools } = (page ?? {}) as { tools?: unknown }
    for (const one of Array.isArray(tools) ? tools : []) {
      if (this.tools.length === TOOLS_MAX || this.#bytes > TOOLS_BYTES_MAX) {
        this.isCut = true
        return false
      }
      this.#addTool(one)
    }
    return true
  }

  #addTool(one: unknown): void {
    const tool = readTool(one, this.#repeatsArguments)
    if ('reason' in tool) {
      this.isCut = true
      if (this.omitted.length < OMITTED_MAX) this.omitted.push(tool)
    } else if (!this.#names.has(tool.name)) {
      this.#names.add(tool.name)
      this.#bytes += tool.description.length + JSON.stringify(tool.inputSchema).length
      if (this.#repeatsArguments && hasHeaders(tool.inputSchema))
        this.inputSchemas.set(tool.name, tool.inputSchema)
      this.tools.push(tool)
    }
  }
}

/** Reads a listed tool, or returns why it cannot be used. */
function readTool(one: unknown, repeatsArguments: boolean): McpTool | OmittedTool {
  const { name: given, title, description, inputSchema } = (one ?? {}) as Record<string, unknown>
  const name = typeof given === 'string' ? cleanText(given.slice(0, NAME_CHARACTERS_MAX)) : ''
  if (name === '' || name !== given) return { name, reason: sentence('mcp.tool_name_invalid') }
  const schema = readSchema(inputSchema)
  if (typeof schema === 'string') return { name, reason: schema }
  const fault = repeatsArguments ? findHeaderFault(inputSchema) : null
  if (fault !== null) return { name, reason: sentence('mcp.schema_headers_invalid', { details: fault }) }
  const words = [description, title].find((text) => typeof text === 'string' && text.trim() !== '')
  return { name, description: describe(typeof words === 'string' ? words : ''), inputSchema: schema }
}

/**
 * Cleans and truncates a description without splitting a character. Truncates once before cleaning, to limit the
 * work.
 */
const describe = (text: string): string => {
  const beginning = cleanText(text.slice(0, 2 * DESCRIPTION_CHARACTERS_MAX)).trim()
  return beginning
    .slice(0, DESCRIPTION_CHARACTERS_MAX)
    .toWellFormed()
    .replace(/\uFFFD$/u, '')
}

/**
 * Reads an input schema, which must describe an object. A tool without a schema takes no arguments. Returns the reason
 * if the schema cannot be used.
 */
function readSchema(schema: unknown): Record<string, unknown> | string {
  if (schema === undefined || schema === null) return { type: 'object', properties: {} }
  if (!isRecord(schema)) return sentence('mcp.schema_invalid')
  if (isDeep(schema, SCHEMA_DEPTH_MAX) || JSON.stringify(schema).length > SCHEMA_BYTES_MAX)
    return sentence('mcp.schema_too_large')
  const types = [schema['type'] ?? 'object'].flat()
  if (!types.some((type) => String(type).toLowerCase() === 'object')) return sentence('mcp.schema_no_object')
  return cleanValue({ ...schema, type: 'object' }) as Record<string, unknown>
}

const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1)))

/** Cleans strings and property names at every level, because models read the whole schema. */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [cleanText(key), cleanValue(inner)])
      .filter(([key]) => key !== '__proto__'),
  )
}

import type { McpTool } from './connection.ts'

/** Maximum list pages and tools per server. Further tools are left out. */
export const TOOL_PAGES_MAX = 64
export const TOOLS_MAX = 1_000
const NAME_CHARACTERS_MAX = 128
const DESCRIPTION_CHARACTERS_MAX = 2_000
const SCHEMA_BYTES_MAX = 64 * 1024
const SCHEMA_DEPTH_MAX = 24
/** Maximum total size of a server's schemas and descriptions. */
const TOOLS_BYTES_MAX = 4 * 1024 * 1024

/** Collects tools from the pages of a list, within limits. */
export class ToolList {
  readonly tools: McpTool[] = []
  /** True if any tool was left out. */
  isCut = false
  /** Input schemas of the tools whose arguments are repeated in headers (SEP-2243). */
  readonly inputSchemas = new Map<string, Record<string, unknown>>()
  readonly #names = new Set<string>()
  #bytes = 0

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
    const tool = readTool(one)
    if (tool === null) this.isCut = true
    else if (!this.#names.has(tool.name)) {
      this.#names.add(tool.name)
      const schema = JSON.stringify(tool.inputSchema)
      this.#bytes += tool.description.length + schema.length
      if (schema.includes('"x-mcp-header"')) this.inputSchemas.set(tool.name, tool.inputSchema)
      this.tools.push(tool)
    }
  }
}

/** Reads a listed tool. Returns null if its name is unusable, or if its schema is invalid or too large. */
function readTool(one: unknown): McpTool | null {
  const { name, title, description, inputSchema } = (one ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX) return null
  if (clean(name) !== name) return null
  const schema = readSchema(inputSchema)
  if (schema === null) return null
  const words = [description, title].find((text) => typeof text === 'string' && text.trim() !== '')
  return { name, description: describe(typeof words === 'string' ? words : ''), inputSchema: schema }
}

/**
 * Cleans and truncates a description without splitting a character. Truncates once before cleaning, to limit the
 * work.
 */
const describe = (text: string): string => {
  const beginning = clean(text.slice(0, 2 * DESCRIPTION_CHARACTERS_MAX)).trim()
  return beginning
    .slice(0, DESCRIPTION_CHARACTERS_MAX)
    .toWellFormed()
    .replace(/\uFFFD$/u, '')
}

/**
 * Removes characters that are invisible to users but read by models: control, format and direction characters, tags,
 * and private use.
 */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replace(
      /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}]|[\u{E0100}-\u{E01EF}\u115F\u1160\u3164\uFFA0]/gu,
      '',
    )

/**
 * Reads an input schema, which must describe an object. A tool without a schema takes no arguments. Returns null if
 * the schema is invalid or too large.
 */
function readSchema(schema: unknown): Record<string, unknown> | null {
  if (schema === undefined || schema === null) return { type: 'object', properties: {} }
  if (typeof schema !== 'object' || Array.isArray(schema) || isDeep(schema, SCHEMA_DEPTH_MAX)) return null
  if (JSON.stringify(schema).length > SCHEMA_BYTES_MAX) return null
  const { type } = schema as { type?: unknown }
  if (type !== undefined && type !== 'object') return null
  return cleanValue({ ...schema, type: 'object' }) as Record<string, unknown>
}

const isDeep = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1)))

/** Cleans strings and property names at every level, because models read the whole schema. */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown] => [clean(key), cleanValue(inner)])
      .filter(([key]) => key !== '__proto__'),
  )
}

import type { CallToolResult } from '@modelcontextprotocol/server'

/** Methods that a definition answers with `request`. */
export const PASSED_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const
/** Maximum length of an unknown URI in an error. */
const URI_CHARACTERS_MAX = 1_000
export type PassedMethod = (typeof PASSED_METHODS)[number]

/** A tool as clients see it. `inputSchema` is a JSON Schema of type `object`. */
export interface ServedTool extends Record<string, unknown> {
  name: string
  inputSchema: Record<string, unknown>
}
export type { CallToolResult }

export interface ServedCall {
  /** Aborted when the client cancels or disconnects, and on timeout. */
  signal: AbortSignal
  onProgress(step: { progress: number; total?: number; message?: string }): void
}

/** One page of a list of tools. The last page has no `nextCursor`. */
export interface ToolPage {
  tools: ServedTool[]
  nextCursor?: string
}

/**
 * An MCP server that Parley offers to clients. Clients receive InvalidParams errors with their code and message. For
 * an AppError below 500 or an McpError, clients receive the message. Any other error is logged, and clients receive a
 * generic message.
 */
export interface McpServerDefinition {
  /** Identifies the caller. A request can cancel only calls with the same key. */
  key: string
  name: string
  /** Instructions for the client's model. */
  instructions?: string
  /**
   * Which of resources, prompts and completions are available. A function is called only when a session begins, and
   * other requests are then passed to `request` whether they are available or not.
   */
  capabilities?: Record<string, unknown> | ((signal: AbortSignal) => Promise<Record<string, unknown>>)
  /** Returns all tools, or the page at a cursor from an earlier page. */
  tools(signal: AbortSignal, cursor?: string): Promise<ServedTool[] | ToolPage>
  /** Calls a tool. Throws `unknownTool` for an unknown name. A tool's own failure is part of the result. */
  callTool(name: string, input: Record<string, unknown>, call: ServedCall): Promise<CallToolResult>
  /** Answers other requests, which have been validated against the protocol's schemas. Results are not validated. */
  request?(
    method: PassedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
  /** Watches the list of resources for a client that subscribes to it. Without it, clients cannot subscribe. */
  watchResources?: WatchList
}

/**
 * Calls `onChange` after each change of a list. Calls `onEnd` at most once, when the caller may no longer watch.
 * Returns a function that stops watching. Throws an AppError if the caller watches too much already.
 */
export type WatchList = (watcher: { onChange(): void; onEnd(): void }) => () => void

/** Invalid request parameters. Clients receive the JSON-RPC error for invalid parameters, with this message. */
export class InvalidParams extends Error {
  override readonly name = 'InvalidParams'
}

/** An unknown resource, or one that the caller may not read. Clients receive the protocol's error for it. */
export class ResourceNotFound extends Error {
  override readonly name = 'ResourceNotFound'
  readonly uri: string

  constructor(uri: string) {
    super('Resource not found')
    this.uri = uri.slice(0, URI_CHARACTERS_MAX)
  }
}

export const unknownTool = (name: string): InvalidParams =>
  new InvalidParams(`Unknown tool: ${name.slice(0, 100)}`)

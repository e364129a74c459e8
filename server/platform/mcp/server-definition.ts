import type { CallToolResult } from '@modelcontextprotocol/server'

/** Methods that are forwarded unchanged if a definition has `request`. */
export const PASSED_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const
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
  /** Returns which of resources, prompts and completions are available. Called only when a session begins. */
  capabilities?(signal: AbortSignal): Promise<Record<string, unknown>>
  /** Returns all tools, or the page at a cursor from an earlier page. */
  tools(signal: AbortSignal, cursor?: string): Promise<ServedTool[] | ToolPage>
  /** Calls a tool. Throws `unknownTool` for an unknown name. A tool's own failure is part of the result. */
  callTool(name: string, input: Record<string, unknown>, call: ServedCall): Promise<CallToolResult>
  /** Forwards other requests, which have been validated against the protocol's schemas. Results are not validated. */
  request?(
    method: PassedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
}

/** Invalid request parameters. Clients receive the JSON-RPC error for invalid parameters, with this message. */
export class InvalidParams extends Error {
  override readonly name = 'InvalidParams'
}

export const unknownTool = (name: string): InvalidParams =>
  new InvalidParams(`Unknown tool: ${name.slice(0, 100)}`)

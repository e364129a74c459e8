import type { CallToolResult } from '@modelcontextprotocol/server'

/** What is passed on as it is, where an offer has `request`. */
export const PASSED_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const
export type PassedMethod = (typeof PASSED_METHODS)[number]

/** A tool as clients are told of it. Its schema is a JSON Schema of type object. */
export interface ServedTool extends Record<string, unknown> {
  name: string
  inputSchema: Record<string, unknown>
}
export type { CallToolResult }

export interface ServedCall {
  /** Aborted when the client cancels or leaves, or when it has taken too long. */
  signal: AbortSignal
  onProgress(step: { progress: number; total?: number; message?: string }): void
}

/** Of a list that is longer; without `nextCursor` the last one. */
export interface ToolPage {
  tools: ServedTool[]
  nextCursor?: string
}

/**
 * What a client is offered. What these throw is told by kind: InvalidParams as such, an AppError and an
 * McpError by its sentence, everything else only in the log.
 */
export interface McpServerDefinition {
  /** Whose requests these are: only those of one key can cancel each other. */
  key: string
  name: string
  /** For the client's model. */
  instructions?: string
  /** Of resources, prompts and completions, what there is. Asked only when a client begins. */
  capabilities?(signal: AbortSignal): Promise<Record<string, unknown>>
  /** All of them, or the page that begins at a cursor that a page before has given. */
  tools(signal: AbortSignal, cursor?: string): Promise<ServedTool[] | ToolPage>
  /** Throws `unknownTool` for a name that is not offered. What a tool fails with is told in its result. */
  callTool(name: string, input: Record<string, unknown>, call: ServedCall): Promise<CallToolResult>
  /** The other requests, checked by the protocol's schemas: passed on, and their answers as they come. */
  request?(
    method: PassedMethod,
    params: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>
}

/** The parameters of a request are at fault: JSON-RPC's error for that, with this sentence. */
export class InvalidParams extends Error {
  override readonly name = 'InvalidParams'
}

export const unknownTool = (name: string): InvalidParams =>
  new InvalidParams(`Unknown tool: ${name.slice(0, 100)}`)

/**
 * Messages between the server and a sandbox. Each message is one line of JSON. This file contains only types, so that
 * it can be imported on both sides.
 */

/** The task to run. Sent to the sandbox once. */
export interface Task {
  kind: 'run' | 'inspect'
  language: 'python' | 'javascript' | 'typescript'
  code: string
  name: string
  isClass: boolean
  method: string | null
  input: Record<string, unknown>
  config: Record<string, unknown>
  /** Paths of the Python packages that the code may import. */
  wheels: readonly string[]
}

/** Sent to the sandbox: the response to a request, or the end of a wait. */
export type Answer =
  | ({ kind: 'fetched'; id: number } & (ProxiedResponse | { error: string }))
  | { kind: 'woke'; id: number }

export interface ProxiedResponse {
  /** URL of the response, after redirects. */
  url: string
  status: number
  headers: [name: string, value: string][]
  /** The body in base64. */
  body: string
}

export interface ProxiedRequest {
  url: string
  method: string
  headers: [name: string, value: string][]
  /** The body in base64. Null if there is none. */
  body: string | null
}

/** Sent to a process that makes copies of itself: the request for one. */
export interface Fork {
  kind: 'fork'
}

/** Sent by the sandbox. Tenant code can forge every message, so each message is validated (read-message.ts). */
export type Message =
  | { kind: 'ready' }
  | { kind: 'printed'; text: string }
  /** Number of printed characters that were dropped. */
  | { kind: 'dropped'; characters: number }
  | { kind: 'fetch'; id: number; request: ProxiedRequest }
  | { kind: 'wait'; id: number; milliseconds: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; reason: 'failed' | 'memory' | 'output' | 'crashed'; error: string }

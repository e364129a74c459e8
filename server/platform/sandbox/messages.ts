/**
 * The messages between the server and a sandbox: one JSON object per line. Contains only types, so both sides can
 * import it.
 */

/** Sent to the sandbox once: what to run. */
export interface Task {
  kind: 'run' | 'inspect'
  language: 'python' | 'javascript' | 'typescript'
  code: string
  name: string
  isClass: boolean
  method: string | null
  input: Record<string, unknown>
  config: Record<string, unknown>
  /** Paths of packages that the code may import. */
  wheels: readonly string[]
}

/** Sent to the sandbox: the result of a request, or the end of a wait. */
export type Answer =
  | ({ kind: 'fetched'; id: number } & (ProxiedResponse | { error: string }))
  | { kind: 'woke'; id: number }

export interface ProxiedResponse {
  /** The URL after redirects. */
  url: string
  status: number
  headers: [name: string, value: string][]
  /** Base64. */
  body: string
}

export interface ProxiedRequest {
  url: string
  method: string
  headers: [name: string, value: string][]
  /** Base64. */
  body: string | null
}

/** Sent by the sandbox. Tenant code can forge any of these, so each is validated (read-message.ts). */
export type Message =
  | { kind: 'ready' }
  | { kind: 'printed'; text: string }
  /** Number of printed characters that were dropped. */
  | { kind: 'dropped'; characters: number }
  | { kind: 'fetch'; id: number; request: ProxiedRequest }
  | { kind: 'wait'; id: number; milliseconds: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; reason: 'failed' | 'memory' | 'output' | 'crashed'; error: string }

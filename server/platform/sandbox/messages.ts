/** What goes over the pipe between this process and a sandbox: one JSON object a line. Types only: both sides import it. */

/** To the sandbox, once: what it is to do. */
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

/** To the sandbox: what came of a request, or that the time has passed. */
export type Answer =
  | ({ kind: 'fetched'; id: number } & (ProxiedResponse | { error: string }))
  | { kind: 'woke'; id: number }

export interface ProxiedResponse {
  /** Where it came from, after redirects. */
  url: string
  status: number
  headers: [name: string, value: string][]
  /** base64. */
  body: string
}

export interface ProxiedRequest {
  url: string
  method: string
  headers: [name: string, value: string][]
  /** base64. */
  body: string | null
}

/** From the sandbox. Whoever wrote the code may have forged any of them, so each is checked (read-message.ts). */
export type Message =
  | { kind: 'ready' }
  | { kind: 'printed'; text: string }
  /** Characters that were printed and are not kept. */
  | { kind: 'dropped'; characters: number }
  | { kind: 'fetch'; id: number; request: ProxiedRequest }
  | { kind: 'wait'; id: number; milliseconds: number }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; reason: 'failed' | 'memory' | 'output' | 'crashed'; error: string }

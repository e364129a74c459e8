import type { Load, Target } from '../load.ts'

/** The number of concurrent replies, and the provider's pause between tokens. */
export interface Case {
  connections: number
  gapMs: number
}

/** A server in the comparison. */
export interface Peer {
  name: string
  /** The server processes whose CPU time and memory are measured. Empty for the direct run. */
  pids: number[]
  /** The process id of the PostgreSQL server that it uses. Undefined if it uses none. */
  databasePid?: number
  /** Returns the request for a case. Called before every run. */
  target(current: Case): Promise<Target>
  /** Returns the problems that a run has left behind, as sentences. */
  check?(load: Load<unknown>): Promise<string[]>
  stop(): Promise<void>
}

/** The options of every peer: the provider's base URL, and a folder for its files. */
export interface PeerOptions {
  providerUrl: string
  folder: string
}

export const REPLY_TOKENS = 200
export const PROMPT = 'Tell me about the sea.'

/** The emulated model that replies with REPLY_TOKENS tokens at the pace of a case. */
export const modelOf = ({ gapMs }: Case): string => `emu-n${REPLY_TOKENS}${gapMs > 0 ? `-gap${gapMs}` : ''}`

/** Returns the request for a streamed chat completion in OpenAI's format. */
export function chatCompletion(baseUrl: string, current: Case, headers: Record<string, string> = {}): Target {
  return {
    url: `${baseUrl}/v1/chat/completions`,
    headers: { Authorization: 'Bearer k', ...headers },
    body: {
      model: modelOf(current),
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: PROMPT }],
    },
    markers: { token: '"content":"', end: 'data: [DONE]' },
    tokens: REPLY_TOKENS,
  }
}

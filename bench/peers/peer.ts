import type { Load, Target } from '../load.ts'

/** So many replies at a time, from a provider that waits so long between two tokens. */
export interface Case {
  connections: number
  gapMs: number
}

/** One of the servers that are measured side by side. */
export interface Peer {
  name: string
  /** The server whose processor time and memory count; the direct run has none. */
  pid?: number
  /** The PostgreSQL that it uses. */
  databasePid?: number
  /** What to ask for a case; called anew before every run. */
  target(current: Case): Promise<Target>
  /** What a run left behind that it should not have, in words. */
  check?(load: Load<unknown>): Promise<string[]>
  stop(): Promise<void>
}

/** What every peer needs to start: the provider's base URL, and a folder for what it writes. */
export interface PeerOptions {
  providerUrl: string
  folder: string
}

export const REPLY_TOKENS = 200
export const PROMPT = 'Tell me about the sea.'

/** The emulated provider's model that answers REPLY_TOKENS tokens at the pace of a case. */
export const modelOf = ({ gapMs }: Case): string => `emu-n${REPLY_TOKENS}${gapMs > 0 ? `-gap${gapMs}` : ''}`

/** A streamed chat completion in OpenAI's format. */
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

import type { Target } from '../load.ts'
import { type Case, modelOf, type Peer, type PeerOptions, PROMPT, REPLY_TOKENS } from './peer.ts'
import { startScript } from './script-peer.ts'

/**
 * A server as a team would write it: Hono, and `streamText` of the AI SDK. It stores and checks nothing.
 * Its script is not type-checked, because bench/package.json's packages are installed only for benchmarks.
 */
export const startAiSdk = (options: PeerOptions): Promise<Peer> => startScript('ai-sdk', uiMessages, options)

/** Returns the request for a stream of the AI SDK's UI messages. */
const uiMessages = (baseUrl: string, current: Case): Target => ({
  url: `${baseUrl}/chat`,
  headers: {},
  body: { model: modelOf(current), messages: [{ role: 'user', content: PROMPT }] },
  markers: { token: '"delta":"', end: 'data: [DONE]' },
  tokens: REPLY_TOKENS,
})

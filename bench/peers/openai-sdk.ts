import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'
import { startScript } from './script-peer.ts'

/**
 * A server as a team would write it: Fastify, and OpenAI's SDK towards the provider. It stores and checks nothing.
 * Its script is not type-checked, because bench/package.json's packages are installed only for benchmarks.
 */
export const startOpenAiSdk = (options: PeerOptions): Promise<Peer> =>
  startScript('openai-sdk', chatCompletion, options)

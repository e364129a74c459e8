import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'

/** The provider itself: the baseline for the time that the other servers add. */
export async function startDirect({ providerUrl }: PeerOptions): Promise<Peer> {
  return {
    name: 'direct',
    pids: [],
    target: async (current) => chatCompletion(providerUrl, current),
    async stop() {},
  }
}

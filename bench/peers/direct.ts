import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'

/** The provider itself, without anything between: what the others' added time is measured against. */
export async function startDirect({ providerUrl }: PeerOptions): Promise<Peer> {
  return {
    name: 'direct',
    target: async (current) => chatCompletion(providerUrl, current),
    async stop() {},
  }
}

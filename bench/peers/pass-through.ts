import { chatCompletion, type Peer, type PeerOptions } from './peer.ts'
import { startScript } from './script-peer.ts'

/** The minimum for a server in Node: it forwards bytes without parsing them. */
export const startPassThrough = (options: PeerOptions): Promise<Peer> =>
  startScript('pass-through', chatCompletion, options)

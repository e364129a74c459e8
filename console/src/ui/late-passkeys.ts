import type * as Passkeys from '../api/passkeys.ts'
import { loadChunk } from './chunks.ts'

/* Passkeys, whose code loads on first use. */

const load = (): Promise<typeof Passkeys> => loadChunk(() => import('../api/passkeys.ts'))

export const hasPasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

export const createPasskey: typeof Passkeys.createPasskey = async (options) =>
  (await load()).createPasskey(options)

export const signWithPasskey: typeof Passkeys.signWithPasskey = async (options) =>
  (await load()).signWithPasskey(options)

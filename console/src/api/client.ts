import { addressOf, createClient } from '@parley/client'
import { upload as sendFile } from '@parley/client/browser'
import { session } from './session.ts'

/** Calls the API as the signed-in user. */
export const api = createClient({ auth: session })

interface UploadOptions {
  query: object
  file: File
  /** From 0 to 1. */
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

/** Sends a file to an operation that takes one. */
export const upload = <Answer>(path: string, { query, ...options }: UploadOptions): Promise<Answer> =>
  sendFile(addressOf(path, query), { auth: session, ...options })

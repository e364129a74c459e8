import { addressOf, createClient } from '@parley/client'
import { upload as sendFile } from '@parley/client/browser'
import { checkConnection } from './connection.ts'
import { session } from './session.ts'

export const api = createClient({ auth: session, onUnreachable: checkConnection })

interface UploadOptions {
  query: object
  file: File
  /** Called with the fraction of the file that has been uploaded, from 0 to 1. */
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

/** Calls an operation that accepts a file. */
export const upload = <Answer>(path: string, { query, ...options }: UploadOptions): Promise<Answer> =>
  sendFile(addressOf(path, query), { auth: session, ...options })

import { errorOf, networkError } from '../error.ts'
import { randomKey } from '../random-key.ts'
import type { TokenSource } from '../transport.ts'

interface UploadOptions {
  auth: TokenSource
  file: File
  /** Called with the fraction of the file that has been uploaded, from 0 to 1. */
  onProgress?: ((fraction: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Uploads a file as multipart form data and returns the parsed response. Uses XMLHttpRequest, because `fetch` doesn't
 * report upload progress. Throws a ParleyError. If the signal aborts, throws the signal's reason.
 */
export async function upload<Answer>(
  address: string,
  { auth, file, onProgress, signal }: UploadOptions,
): Promise<Answer> {
  const token = await auth.token()
  signal?.throwIfAborted()
  const request = new XMLHttpRequest()
  const form = new FormData()
  form.append('file', file)
  request.open('POST', address)
  request.setRequestHeader('idempotency-key', randomKey())
  if (token !== null) request.setRequestHeader('authorization', `Bearer ${token}`)
  request.responseType = 'json'
  request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total)
  return new Promise((resolve, reject) => {
    request.onload = () => {
      const answer: unknown = request.response
      if (request.status < 300 && answer) return resolve(answer as Answer)
      const retryAfter = request.getResponseHeader('retry-after')
      const refusal = Response.json(answer, {
        status: request.status,
        ...(retryAfter !== null && { headers: { 'retry-after': retryAfter } }),
      })
      void errorOf(refusal).then(reject)
    }
    request.onerror = () => reject(networkError(undefined, 'The connection was lost during the upload.'))
    request.onabort = () => reject(signal?.reason ?? new DOMException('Aborted', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}

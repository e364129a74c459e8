import { ApiError, addressOf } from './call.ts'
import { randomKey } from './random-key.ts'
import { accessToken } from './session.ts'

interface UploadOptions {
  query: object
  file: File
  /** From 0 to 1. */
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

/** Sends a file to an operation that takes one. XMLHttpRequest, since `fetch` does not tell how much has been sent. */
export async function upload<Answer>(
  path: string,
  { query, file, onProgress, signal }: UploadOptions,
): Promise<Answer> {
  const token = await accessToken()
  const request = new XMLHttpRequest()
  const form = new FormData()
  form.append('file', file)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  request.open('POST', addressOf(path, query))
  request.setRequestHeader('idempotency-key', randomKey())
  if (token !== null) request.setRequestHeader('authorization', `Bearer ${token}`)
  request.responseType = 'json'
  request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total)
  request.onload = () => {
    const answer = request.response as (Answer & { detail?: string; code?: string }) | null
    if (request.status < 300 && answer) return resolve(answer)
    const detail = answer?.detail ?? `The server answered with ${request.status}.`
    reject(new ApiError(detail, request.status, answer?.code ?? 'unknown'))
  }
  request.onerror = () =>
    reject(new ApiError('The connection was lost while the file was sent.', 0, 'network'))
  request.onabort = () => reject(signal?.reason ?? new DOMException('Aborted', 'AbortError'))
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  if (signal?.aborted) throw signal.reason
  request.send(form)
  return promise
}

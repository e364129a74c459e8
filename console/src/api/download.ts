import { addressOf } from '@parley/client'
import { api } from './client.ts'

interface DownloadOptions {
  query?: object
  /** The media type to request, if the operation has several. */
  accept?: string
  /** The file name if the response has none. */
  name: string
  onProgress?: (bytes: number) => void
  signal?: AbortSignal
}

/**
 * Saves the response of an operation as a file. Receives all of it first (browsers keep large responses on disk), so a
 * truncated response is an error and not a file that looks complete. A plain link could not send the access token. Throws
 * ParleyError, or TypeError if the response is truncated.
 */
export async function download(
  path: string,
  { query, accept, name, onProgress, signal }: DownloadOptions,
): Promise<void> {
  const answer = await api.fetch(addressOf(path, query), {
    ...(accept && { headers: { accept } }),
    ...(signal && { signal }),
  })
  const blob = await new Response(answer.body?.pipeThrough(counted(onProgress))).blob()
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = nameOf(answer) ?? name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}

/** Browsers start saving after the click. */
const KEPT_MS = 60_000

/** Reads the file name of a response (RFC 8187). */
function nameOf(answer: Response): string | null {
  const name = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1]
  return name === undefined ? null : decodeURIComponent(name)
}

function counted(onProgress: DownloadOptions['onProgress']): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      onProgress?.(bytes)
      controller.enqueue(chunk)
    },
  })
}

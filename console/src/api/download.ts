import { addressOf } from '@parley/client'
import { api } from './client.ts'

interface DownloadOptions {
  query?: object
  /** The media type to request, for operations that provide several. */
  accept?: string
  /** The file name to use if the response names none. */
  name: string
  onProgress?: (bytes: number) => void
  signal?: AbortSignal
}

/**
 * Downloads the response of an operation and saves it as a file. Saves only after the whole response has arrived, so
 * that a truncated response causes an error instead of an incomplete file. Browsers hold large responses on disk. A
 * plain link would not work, because it cannot send the access token.
 *
 * Throws a ParleyError, or a TypeError if the response is truncated.
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
  saveFile(blob, nameOf(answer) ?? name)
}

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}

/** Time until the object URL is revoked. Browsers start saving some time after the click. */
const KEPT_MS = 60_000

/** Returns the file name in a response's Content-Disposition header (RFC 8187), or null if there is none. */
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

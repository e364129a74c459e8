import { addressOf } from '@parley/client'
import { api } from './client.ts'

interface DownloadOptions {
  query?: object
  /** The type that is asked for, where an operation answers in several. */
  accept?: string
  /** What the file is called where the answer has no name for it. */
  name: string
  onProgress?: (bytes: number) => void
  signal?: AbortSignal
}

/**
 * Has the browser save what an operation answers. It is received whole first (a browser puts what is large on its disk),
 * so what was cut off is an error, and no file that looks complete; a link could not carry who asks. Throws a ParleyError,
 * or a TypeError where it was cut off.
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

/** Browsers begin to save after the click. */
const KEPT_MS = 60_000

/** As the server names files (RFC 8187). */
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

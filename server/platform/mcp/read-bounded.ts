import type { NetAnswer } from '../net/index.ts'
import { markLongNumbers } from './exact-numbers.ts'

const ERROR_BYTES_MAX = 64 * 1024

export interface BodyBounds {
  /** Counts received bytes. Throws beyond the limit. */
  take: (bytes: number) => void
  /** Sees each chunk. The stream fails with an error that this throws. */
  inspect?: ((chunk: Buffer) => void) | undefined
  /** Converts a read error to the error that the stream's reader receives. */
  fail: (error: unknown) => Error
}

/** Streams a response body without reading ahead. Reads only the first 64 KB of an error response. */
export function readBounded(answer: NetAnswer, bounds: BodyBounds): ReadableStream | null {
  const { statusCode, body } = answer
  // Without a listener, an error on an unread body would crash the process.
  body.on('error', () => {})
  if (statusCode === 204 || statusCode === 205 || statusCode === 304) {
    body.destroy()
    return null
  }
  const chunks = statusCode >= 400 ? beginningOf(body) : markLongNumbers(counted(body, bounds))
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { value, done } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          body.destroy()
          controller.error(bounds.fail(error))
        }
      },
      cancel() {
        body.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* counted(
  body: AsyncIterable<Buffer>,
  { take, inspect }: BodyBounds,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    take(chunk.length)
    inspect?.(chunk)
    yield chunk
  }
}

async function* beginningOf(body: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let left = ERROR_BYTES_MAX
  for await (const chunk of body) {
    yield chunk.subarray(0, left)
    left -= chunk.length
    if (left <= 0) return
  }
}

import { setTimeout as sleep } from 'node:timers/promises'

/** Time without progress after which the service is probed. */
const SILENCE_MS = 800
/** Time in which the service must answer the probe. */
const PROBE_TIMEOUT_MS = 1_000

/** Passes a body on, and counts its bytes as progress. */
type Watched = (body: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>

/**
 * Runs an exchange with a service. Aborts `silence` once the service gives no sign of life: for 0.8 seconds, no bytes of
 * the bodies that are `watched` move, and the service does not answer another request either. Slow exchanges continue.
 *
 * @param probe sends a small request, and rejects if there is no answer
 */
export async function unlessSilent<Result>(
  probe: (signal: AbortSignal) => Promise<unknown>,
  exchange: (silence: AbortSignal, watched: Watched) => Promise<Result>,
): Promise<Result> {
  const [silence, end] = [new AbortController(), new AbortController()]
  let bytes = 0
  async function* watched(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      bytes += chunk.length
      yield chunk
    }
  }
  async function listen(): Promise<void> {
    for (;;) {
      const before = bytes
      await sleep(SILENCE_MS, undefined, { signal: end.signal })
      if (bytes > before) continue
      const failure = await probe(AbortSignal.any([end.signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])).then(
        () => undefined,
        (cause: unknown) => new Error('the service does not respond', { cause }),
      )
      if (failure && bytes === before) return silence.abort(failure)
    }
  }
  listen().catch(() => {}) // the exchange has ended
  try {
    return await exchange(silence.signal, watched)
  } finally {
    end.abort()
  }
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Long enough that it does not delay the first requests after a start. */
const DELAY_MS = 5_000

/**
 * Returns memory to the operating system once, some seconds after the start. Loading the modules creates about 60 MB of
 * garbage, and V8 keeps it until the heap grows. The collection blocks the process for up to 0.2 seconds.
 */
export function releaseMemoryOnce(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as NonNullable<typeof gc>
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, DELAY_MS).unref()
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Services } from '#platform/services.ts'

/** Long enough that the work does not delay the first requests after a start. */
const DELAY_MS = 5_000

/**
 * Does some seconds after the start what is not needed for the first requests: returns memory to the operating system,
 * and prepares the sandbox for the first tool. `isFirst` is false for further processes of this server.
 */
export function workAfterStart({ sandbox, config, draining }: Services, isFirst: boolean): void {
  setTimeout(() => {
    if (draining.isOn) return
    returnMemory()
    if (isFirst && config.role !== 'worker') void sandbox.prepare()
  }, DELAY_MS).unref()
}

/**
 * Loading the modules creates about 60 MB of garbage, and V8 keeps it until the heap grows. The collection blocks the
 * process for up to 0.2 seconds.
 */
function returnMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NonNullable<typeof gc>
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

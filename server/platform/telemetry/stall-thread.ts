import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { BEAT, LOGS, type StallThreadData } from './stall-watch.ts'

/*
 * Watches the event loop of the main thread from a thread of its own, which a stall does not stop. While a stall lasts,
 * asks the main thread through the inspector what it runs. V8 answers within running code, also in loops and regular
 * expressions, without pausing and without the debugger. Native calls such as JSON.parse answer when they return.
 */

const { state, sampleAfterMs, againAfterMs, longMs, expression } = workerData as StallThreadData

// Atomics.wait blocks this thread, so nothing else keeps it alive between two waits.
setInterval(() => {}, longMs)
void watch()

async function watch(): Promise<void> {
  for (;;) {
    const beat = Atomics.load(state, BEAT)
    if (Atomics.wait(state, BEAT, beat, sampleAfterMs) !== 'timed-out') continue
    let sample = await evaluate()
    if (Atomics.wait(state, BEAT, beat, againAfterMs) !== 'timed-out') continue
    sample = (await evaluate()) ?? sample
    const isLong = () => Atomics.wait(state, BEAT, beat, longMs) === 'timed-out'
    if (isLong()) logLongStall(sample)
    while (isLong());
  }
}

/** Lets the main thread store a sample. Returns the sample, or null if the main thread does not answer for a long time. */
function evaluate(): Promise<object | null> {
  return new Promise((resolve) => {
    const session = new Session()
    const end = (sample: object | null): void => {
      clearTimeout(timer)
      session.disconnect()
      resolve(sample)
    }
    const timer = setTimeout(end, longMs, null)
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression, returnByValue: true }, (_error, answer) =>
      end((answer?.result.value as object | undefined) ?? null),
    )
  })
}

/** Writes a log line, because the main thread cannot: process.stdout of a thread leads through the main thread. */
function logLongStall(sample: object | null): void {
  if (Atomics.load(state, LOGS) === 0) return
  const line = { level: 40, time: Date.now(), ...sample, msg: 'the event loop is still stalled' }
  try {
    writeSync(1, `${JSON.stringify(line)}\n`)
  } catch {
    // A full pipe refuses the line. The line of the main thread follows once the stall ends.
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { createNet } from '../server/platform/net/index.ts'
import { startDenoProcess } from '../server/platform/sandbox/deno-process.ts'
import { findRuntimes } from '../server/platform/sandbox/find-deno.ts'
import { createSandbox, type Language, PYTHON_PROGRAM } from '../server/platform/sandbox/sandbox.ts'
import { createSnapshot, startOf } from '../server/platform/sandbox/snapshot.ts'

/*
 * `node bench/sandbox.ts`: measures the execution of tenants' code: calls with a process ready, sequential calls,
 * concurrent calls beside as many bare starts of an interpreter, and the delay of the server's event loop during these.
 */

const CALLS = 20
const AT_ONCE = 50
/** Number of concurrent processes. */
const TURNS = 4
const IDLE_MS = 5_000
/** Time until the pool is full again. */
const PAUSE_MS = { javascript: 400, python: 3_000 }
const CODE = {
  javascript: 'export function main({ a }) { return a + 1 }',
  python: 'def main(a):\n    return a + 1',
}

const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const net = createNet({ allowPrivateNetwork: false })
const sandbox = createSandbox({ net, log: pino({ level: 'warn' }), dataDir }, { turnsMax: TURNS })
const never = new AbortController().signal

const idle = await lateness(() => sleep(IDLE_MS))
console.log(`idle: event loop delay ${idle}`)
for (const language of ['javascript', 'python'] as const) {
  console.log(`${language}, first call                       ${(await call(language)).toFixed(0)} ms`)
  await sleep(PAUSE_MS[language])
  const warm = await repeatCall(language, PAUSE_MS[language])
  console.log(`${language}, process ready, p50 and p95       ${at(warm, 0.5)} ms, ${at(warm, 0.95)} ms`)
  const close = await repeatCall(language, 0)
  console.log(`${language}, sequential, p50 and p95          ${at(close, 0.5)} ms, ${at(close, 0.95)} ms`)
  const seconds = await atOnce(language)
  if (language === 'javascript') continue
  const bare = await bareStarts()
  console.log(
    `python, ${AT_ONCE} bare starts with the snapshot: ${bare.toFixed(1)} s; ratio ${(seconds / bare).toFixed(2)}`,
  )
}
await sandbox.close()
await net.close()
rmSync(dataDir, { recursive: true })

async function call(language: Language, organization = 'one'): Promise<number> {
  const kind = language === 'python' ? 'python' : 'javascript'
  const code = { language, code: CODE[kind], name: 'main', isClass: false, requirements: [] }
  const begin = performance.now()
  const outcome = await sandbox.run(
    organization,
    { code, method: null, input: { a: 1 }, config: {}, network: [] },
    never,
  )
  if (!outcome.ok || outcome.output !== 2) throw new Error(`A call failed: ${JSON.stringify(outcome)}`)
  return performance.now() - begin
}

async function repeatCall(language: Language, pauseMs: number): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < CALLS; run++) {
    times.push(await call(language))
    await sleep(pauseMs)
  }
  return times.sort((a, b) => a - b)
}

/** Returns the seconds. */
async function atOnce(language: 'javascript' | 'python'): Promise<number> {
  const begin = performance.now()
  const late = await lateness(() =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, run) => call(language, `organization ${run % 5}`))),
  )
  const seconds = (performance.now() - begin) / 1000
  console.log(`${language}, ${AT_ONCE} concurrent calls: ${seconds.toFixed(1)} s; event loop delay ${late}`)
  return seconds
}

/** Starts interpreters from the snapshot, as many at a time as calls run, and ends each when it is ready. */
async function bareStarts(): Promise<number> {
  const runtimes = findRuntimes()
  const snapshot = await createSnapshot(runtimes, join(dataDir, 'sandbox'), PYTHON_PROGRAM).find()
  const begin = performance.now()
  let left = AT_ONCE
  const startSome = async (): Promise<void> => {
    while (left-- > 0) {
      const process = startDenoProcess(startOf(runtimes, PYTHON_PROGRAM, 'run', snapshot))
      await process.ready
      process.end()
      await process.ended
    }
  }
  await Promise.all(Array.from({ length: TURNS }, startSome))
  return (performance.now() - begin) / 1000
}

async function lateness(work: () => Promise<unknown>): Promise<string> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await work()
  delay.disable()
  const [p99, max] = [delay.percentile(99), delay.max].map((ns) => (ns / 1e6).toFixed(0))
  return `${p99} ms (p99), ${max} ms (max)`
}

function at(sorted: number[], share: number): string {
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
}

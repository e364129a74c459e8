import { executionAsyncId } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import { currentWork, type RunningWork } from './running.ts'

/** A time during which the event loop of this process ran nothing else. */
export interface Stall {
  ms: number
  /** The processor time in it. Far less than `ms` on a busy machine, and in code that waits for a disk. */
  cpuMs: number
  /** Name of the work that ran (running.ts). Null if it is unknown. */
  work: string | null
  organizationId: string | null
  /** True if the work had ended, so that code which it left behind ran, such as a connection that others use too. */
  isLeftBehind: boolean
  /** True if one call ran for a while. False for many short calls in a row, as under load, and for one that is native. */
  isOneCall: boolean
  /** The innermost function calls, with files relative to the installation. */
  frames: string[]
}

/** The state that both threads share: the number of beats, and whether a log wants lines. */
export const BEAT = 0
export const LOGS = 1

export interface StallThreadData {
  state: Int32Array
  /** Time since the last beat after which the thread asks what runs. */
  sampleAfterMs: number
  /** Time until it asks once more, to see whether the same call runs. */
  againAfterMs: number
  /** A stall of this length is logged while it lasts. */
  longMs: number
  /** Expression that stores a sample in the main thread and returns its fields for the log. */
  expression: string
}

/** A shorter stall is not reported. */
export const STALL_MS_MIN = 200
/** Interval of the main thread's beats. Also the error of a stall's length, which is never overstated. */
const BEAT_MS = 100
const AGAIN_AFTER_MS = 100
const LONG_STALL_MS = 10_000
const FRAMES_MAX = 8
const MEGABYTES = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }

type Sample = Omit<Stall, 'ms' | 'cpuMs'>
type Listen = (stall: Stall) => void

const NAMELESS: Sample = {
  work: null,
  organizationId: null,
  isLeftBehind: false,
  isOneCall: false,
  frames: [],
}
/** Property of globalThis that the thread calls. Only tests load this module twice in a process. */
const PROPERTY = `parleyStall${Math.random().toString(36).slice(2)}`
/** The absolute path of a file: all of it before a folder of the installation, or else all before the file's name. */
const FOLDER = /(?:file:\/\/)?\/(?:[^()\s]*?\/(?=(?:server|node_modules|tests)\/)|[^()\s]*\/)/

const listeners = new Map<Listen, { logs: boolean }>()
let state: Int32Array | undefined
let sample: Sample | undefined
/** The callback and the work that ran at the last sample of a stall. */
let sampledCall: { id: number; work: RunningWork | undefined } | undefined

/**
 * Calls `listen` after each stall of this process's event loop of at least STALL_MS_MIN. With `logs`, a stall that does
 * not end is logged while it lasts. All callers share one thread, which ends with the process. Returns a function that
 * stops listening.
 */
export function watchStalls(listen: Listen, { logs = false, longMs = LONG_STALL_MS } = {}): () => void {
  listeners.set(listen, { logs })
  state ??= startWatch(longMs)
  setLogs()
  return () => {
    listeners.delete(listen)
    setLogs()
  }
}

function setLogs(): void {
  if (state) Atomics.store(state, LOGS, [...listeners.values()].some(({ logs }) => logs) ? 1 : 0)
}

function startWatch(longMs: number): Int32Array {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  Object.defineProperty(globalThis, PROPERTY, { value: takeSample, configurable: true })
  const workerData: StallThreadData = {
    state: shared,
    sampleAfterMs: STALL_MS_MIN,
    againAfterMs: AGAIN_AFTER_MS,
    longMs,
    expression: `${PROPERTY}()`,
  }
  const thread = new Worker(new URL('./stall-thread.ts', import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: MEGABYTES,
  })
  thread.unref()
  // Without its thread, the watch still measures stalls and leaves them unnamed.
  thread.on('error', (error) => process.emitWarning(`the thread of the stall watch ended: ${error.message}`))
  let beatAt = performance.now()
  let cpuAt = cpuNow()
  const beat = (): void => {
    const now = performance.now()
    const ms = now - beatAt - BEAT_MS
    const cpu = cpuNow()
    const cpuMs = Math.min(cpu - cpuAt, ms)
    const taken = sample
    beatAt = now
    cpuAt = cpu
    sample = undefined
    sampledCall = undefined
    Atomics.add(shared, BEAT, 1)
    Atomics.notify(shared, BEAT)
    if (ms >= STALL_MS_MIN)
      for (const listen of listeners.keys()) listen({ ms, cpuMs, ...(taken ?? NAMELESS) })
  }
  setInterval(beat, BEAT_MS).unref()
  return shared
}

/** Returns the processor time of the main thread in milliseconds, on Node 20 that of the process. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1_000
}

/** Called within the stalled code. Stores what runs, for the report after the stall. Takes less than a millisecond. */
function takeSample(): object {
  const work = currentWork()
  const id = executionAsyncId()
  const isOneCall = id === sampledCall?.id && work === sampledCall.work
  sampledCall = { id, work }
  sample = {
    work: work?.name ?? null,
    organizationId: work?.organizationId ?? null,
    isLeftBehind: work?.hasEnded ?? false,
    isOneCall,
    frames: readFrames(),
  }
  return fieldsOf(sample)
}

/** Returns the fields of a log line. */
export const fieldsOf = ({ work, organizationId, isLeftBehind, frames }: Sample): object => ({
  work,
  organization_id: organizationId,
  ...(isLeftBehind && { left_behind: true }),
  frames,
})

/** Returns the calls of the stalled code, without those of the sample itself. */
function readFrames(): string[] {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = FRAMES_MAX + 3
  const { stack = '' } = new Error()
  Error.stackTraceLimit = before
  // The message, this function, takeSample, and the expression.
  return stack.split('\n').slice(4).map(shortFrame)
}

const shortFrame = (line: string): string => line.trim().replace('at ', '').replace(FOLDER, '')

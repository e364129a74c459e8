import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const READY_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 50
/** Linux reports CPU time to user space in hundredths of a second, independent of the kernel's own tick rate. */
const CLOCK_TICKS_PER_SECOND = 100

export interface RunningProcess {
  pid: number
  /** Resolves when the URL answers with status 200. Throws if the process exits first or the timeout expires. */
  ready(url: string): Promise<void>
  stop(): Promise<void>
}

export interface ProcessUsage {
  cpuSeconds: number
  /** Peak resident memory since `resetPeakMemory`. */
  peakBytes: number
}

/** Starts a Node program with its own environment. Its output goes to a file. */
export function startNode(
  parameters: string[],
  options: { environment: Record<string, string>; logFile: string; directory?: string },
): RunningProcess {
  const { PATH = '', HOME = '/' } = process.env
  const log = openSync(options.logFile, 'a')
  const child = spawn(process.execPath, parameters, {
    env: { PATH, HOME, NODE_ENV: 'production', ...options.environment },
    stdio: ['ignore', log, log],
    ...(options.directory !== undefined && { cwd: options.directory }),
  })
  const killChild = (): void => void child.kill('SIGKILL')
  process.once('exit', killChild)
  return {
    pid: child.pid as number,
    ready: (url) => waitUntilReady(url, child, options.logFile),
    async stop() {
      process.off('exit', killChild)
      await stopChild(child)
    },
  }
}

/** Returns the usage of processes and their descendants, including ended ones. */
export function readProcessTrees(pids: number[]): ProcessUsage {
  const usages = pids.flatMap(processTree).map(readProcess)
  return {
    cpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peakBytes: usages.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  }
}

/** Resets the memory peak of processes to the current usage (proc_pid_clear_refs(5), value 5). */
export function resetPeakMemory(pids: number[]): void {
  for (const id of pids.flatMap(processTree)) writeFileSync(`/proc/${id}/clear_refs`, '5')
}

function processTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'))
    .flatMap((line) => line.split(' ').filter(Boolean).map(Number))
  return [pid, ...children.flatMap(processTree)]
}

function readProcess(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name in parentheses may contain spaces. Fields 14 to 17 are utime and stime, then both of ended children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  const [, peakKilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return { cpuSeconds: ticks / CLOCK_TICKS_PER_SECOND, peakBytes: Number(peakKilobytes ?? 0) * 1024 }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

async function waitUntilReady(url: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (!(await answers(url))) {
    if (hasEnded(child) || Date.now() > deadline) {
      throw new Error(`${url} is not responding:\n${readFileSync(logFile, 'utf8').slice(-2000)}`)
    }
    await sleep(POLL_INTERVAL_MS)
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

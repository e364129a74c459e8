import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { assertOutsideTransaction } from '#database/ambient.ts'
import { sentence } from '#errors'
import type { Net } from '../net/index.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import { CLOCK_MS, converse } from './converse.ts'
import { type DenoProcess, startDenoProcess } from './deno-process.ts'
import { createFetchProxy } from './fetch-proxy.ts'
import { findRuntimes, type Runtimes } from './find-deno.ts'
import type { Task } from './messages.ts'
import { createPool, type Pool } from './pool.ts'
import { CopiesUnavailable, createTemplate } from './python-template.ts'
import { readFunctions } from './read-functions.ts'
import { createSnapshot, startOf } from './snapshot.ts'
import { createWheels } from './wheels.ts'

export { SandboxUnavailable } from './sandbox-unavailable.ts'

export type Language = 'python' | 'javascript' | 'typescript'

export interface SandboxCode {
  language: Language
  code: string
  /** Name of a function. With `isClass`, name of a class whose public methods can be called. */
  name: string
  isClass: boolean
  /** Names of Python packages, optionally followed by `==version`. */
  requirements: readonly string[]
}

export interface SandboxCall {
  code: SandboxCode
  /** Name of the public method to call. Null for a function. */
  method: string | null
  /** Arguments of the call, as JSON values. */
  input: Record<string, unknown>
  /**
   * Configuration, as JSON values. Code reads it from the global `config`. A class also receives it in its
   * constructor.
   */
  config: Record<string, unknown>
  /**
   * Hosts that the code may reach, such as `api.example.com` or `api.example.com:8443`. If empty, the code has no
   * network access.
   */
  network: readonly string[]
}

export type SandboxOutcome = { printed: string; ms: number } & (
  | { ok: true /** JSON. */; output: unknown }
  | { ok: false; reason: 'failed' | 'timeout' | 'memory' | 'output' | 'crashed'; error: string }
)

export interface FoundFunction {
  name: string
  description: string
  isAsync: boolean
  parameters: {
    name: string
    type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict' | null
    required: boolean
    default?: unknown
  }[]
  /** True if the function accepts further keyword arguments (**kwargs), or if its parameters are unknown. */
  takesAny: boolean
}

/**
 * Runs tenants' code. Each call runs in a separate process that has no access to files, network, environment
 * variables or subprocesses.
 */
export interface Sandbox {
  /**
   * Runs a call in a concurrency slot of the organization. Errors in the code are part of the outcome. Rejects with
   * the signal's reason, or with SandboxUnavailable if Deno is missing or the queue is full.
   */
  run(organizationId: string, call: SandboxCall, signal: AbortSignal): Promise<SandboxOutcome>
  /**
   * Loads code in a sandbox with the same limits, but without network access and configuration. Does not instantiate
   * classes. Returns the function or the class's public methods, or an error message. Rejects with
   * SandboxUnavailable.
   */
  inspect(
    organizationId: string,
    code: SandboxCode,
  ): Promise<{ functions: FoundFunction[] } | { error: string }>
  /** Returns an error message for the first unavailable requirement, or null if all are available. */
  checkRequirements(language: Language, requirements: readonly string[]): Promise<string | null>
  /**
   * Creates Python's snapshot, for which the first call in Python otherwise waits several seconds. Never rejects: without
   * Deno, or if the creation fails, the first call reports the error.
   */
  prepare(): Promise<void>
  /** Ends every process. Resolves when all processes have exited. */
  close(): Promise<void>
}

export interface SandboxBounds {
  /** Deadline of a call, in milliseconds. */
  clockMs?: number
  /** Maximum number of concurrent sandboxes. */
  turnsMax?: number
  /** Memory in bytes for all running sandboxes (concurrency-limiter.ts). */
  memoryBytes?: number
  /** Maximum number of waiting calls. */
  waitingMax?: number
  /** Idle time in milliseconds after which waiting processes end. */
  idleMs?: number
  /** Number of waiting processes per runtime, after its first call. */
  warm?: number
}

/** Maximum total length of code, input and configuration as JSON. @limit code with input and configuration of a call */
const TASK_CHARACTERS_MAX = 4_000_000
/** The program that Python runs in each interpreter. */
export const PYTHON_PROGRAM = fileURLToPath(new URL('./inside/run.py', import.meta.url))

/**
 * Creates a sandbox that starts no process before the first call or `prepare`. Python's snapshot is stored in
 * `dataDir`/sandbox. The operator's packages are in `dataDir`/wheels.
 */
export function createSandbox(
  deps: { net: Net; log: Logger; dataDir: string },
  bounds: SandboxBounds = {},
): Sandbox {
  const { net, log, dataDir } = deps
  const limiter = createConcurrencyLimiter(bounds)
  const wheels = createWheels(join(dataDir, 'wheels'))
  const { clockMs = CLOCK_MS } = bounds
  let pools: Pools | undefined
  const open = (): Pools => {
    pools ??= openPools(findRuntimes(), { ...deps, ...bounds, wheelsFolder: wheels.folder })
    return pools
  }

  const hold = async (organizationId: string, call: SandboxCall, kind: Task['kind'], signal: AbortSignal) => {
    assertOutsideTransaction(`sandbox.${kind}`)
    const { language, code, name, isClass, requirements } = call.code
    const { method, input, config } = call
    const found = await wheels.find(language, requirements)
    if ('error' in found) return failed(found.error)
    const task: Task = { kind, language, code, name, isClass, method, input, config, wheels: found.paths }
    if (JSON.stringify(task).length > TASK_CHARACTERS_MAX)
      return failed(sentence('sandbox.task_too_large', { megabytes: TASK_CHARACTERS_MAX / 1e6 }))
    const endTurn = await limiter.take(organizationId, signal)
    let process: DenoProcess
    try {
      process = await open()[language === 'python' ? 'python' : 'javascript'].take(signal)
    } catch (error) {
      endTurn()
      throw error
    }
    // Free the slot when the process exits, which can be later than its result, and later than an abort.
    void process.ended.then(endTurn)
    return converse({ process, task, reachHosts: createFetchProxy(net, call.network), clockMs, signal })
  }
  return {
    run: (organizationId, call, signal) => hold(organizationId, call, 'run', signal),
    async inspect(organizationId, code) {
      const call = { code, method: null, input: {}, config: {}, network: [] }
      const outcome = await hold(organizationId, call, 'inspect', new AbortController().signal)
      return outcome.ok ? readFunctions(outcome.output) : { error: outcome.error }
    },
    async checkRequirements(language, requirements) {
      assertOutsideTransaction('sandbox.checkRequirements')
      const found = await wheels.find(language, requirements)
      return 'error' in found ? found.error : null
    },
    async prepare() {
      try {
        await open().prepare()
      } catch (error) {
        log.debug({ err: error }, 'the sandbox is not prepared')
      }
    },
    async close() {
      limiter.close()
      await pools?.close()
      log.debug('the sandbox is closed')
    },
  }
}

const failed = (error: string): SandboxOutcome => ({ ok: false, reason: 'failed', error, printed: '', ms: 0 })

interface Pools {
  javascript: Pool
  python: Pool
  prepare(): Promise<void>
  close(): Promise<void>
}

function openPools(
  runtimes: Runtimes,
  {
    log,
    dataDir,
    idleMs,
    warm,
    wheelsFolder,
  }: { log: Logger; dataDir: string; idleMs?: number; warm?: number; wheelsFolder: string },
): Pools {
  if (runtimes.prlimit === null)
    log.warn('prlimit (util-linux) is missing; only the heap limit of V8 bounds the memory of sandboxes')
  const snapshot = createSnapshot(runtimes, join(dataDir, 'sandbox'), PYTHON_PROGRAM)
  const options = { log, ...(idleMs !== undefined && { idleMs }), ...(warm !== undefined && { warm }) }
  const javascript = createPool({
    ...options,
    start: async () => startDenoProcess({ runtime: 'javascript', runtimes, reads: [], parameters: [] }),
  })
  const startPython = async (mode: 'run' | 'template') =>
    startOf(runtimes, PYTHON_PROGRAM, mode, await snapshot.find(), [wheelsFolder])
  const template = createTemplate(() => startPython('template'))
  let canFork = process.platform === 'linux'
  const python = createPool({
    ...options,
    async start() {
      if (!canFork) return startDenoProcess(await startPython('run'))
      try {
        return await template.fork()
      } catch (error) {
        if (!(error instanceof CopiesUnavailable)) throw error
        log.warn({ err: error }, 'the Python interpreter cannot be copied; starting one for each call')
        canFork = false
        return startDenoProcess(await startPython('run'))
      }
    },
    onBroken: snapshot.discard,
    onIdle() {
      template.evict()
      canFork = process.platform === 'linux'
    },
  })
  return {
    javascript,
    python,
    async prepare() {
      await snapshot.find()
    },
    async close() {
      snapshot.close()
      await Promise.all([javascript.close(), python.close(), template.close()])
    },
  }
}

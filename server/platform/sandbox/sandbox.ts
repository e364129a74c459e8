import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { assertOutsideTransaction } from '#database/ambient.ts'
import { sentence } from '#errors'
import type { Net } from '../net/index.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'
import { CLOCK_MS, converse } from './converse.ts'
import { startDenoProcess } from './deno-process.ts'
import { createFetchProxy } from './fetch-proxy.ts'
import { findRuntimes, type Runtimes } from './find-deno.ts'
import type { Task } from './messages.ts'
import { createPool, type Pool } from './pool.ts'
import { readFunctions } from './read-functions.ts'
import { createSnapshot, startOf } from './snapshot.ts'
import { createWheels } from './wheels.ts'

export { SandboxUnavailable } from './sandbox-unavailable.ts'

export type Language = 'python' | 'javascript' | 'typescript'

export interface SandboxCode {
  language: Language
  code: string
  /** A function; or, with isClass, a class whose public methods can be called. */
  name: string
  isClass: boolean
  /** Names of packages, perhaps with ==version. */
  requirements: readonly string[]
}

export interface SandboxCall {
  code: SandboxCode
  /** Which public method of the class; null for a function. */
  method: string | null
  /** JSON. */
  input: Record<string, unknown>
  /** JSON; the global `config`, or what the class is made with. */
  config: Record<string, unknown>
  /** The hosts (`api.example.com`, `api.example.com:8443`) that it may reach; none: no network at all. */
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
  /** Takes further keyword arguments (**kwargs), or what it takes can not be told. */
  takesAny: boolean
}

/** Runs code that tenants wrote. Each call has a process of its own, without files, network, environment or programs. */
export interface Sandbox {
  /**
   * Never rejects for what the code does; rejects with the signal's reason, or SandboxUnavailable (no Deno here, the
   * queue is full). `organizationId`: whose turn it takes.
   */
  run(organizationId: string, call: SandboxCall, signal: AbortSignal): Promise<SandboxOutcome>
  /**
   * Loads the code in a sandbox, with the same bounds, no network and no configuration; a class is not made. Tells its
   * function or the public methods of its class, or in a sentence what is wrong. Rejects with SandboxUnavailable.
   */
  inspect(
    organizationId: string,
    code: SandboxCode,
  ): Promise<{ functions: FoundFunction[] } | { error: string }>
  /** A sentence for the first requirement that can not be had; null: all are there. */
  checkRequirements(language: Language, requirements: readonly string[]): Promise<string | null>
  /** Ends every process; resolves when they are gone. */
  close(): Promise<void>
}

export interface SandboxBounds {
  /** Milliseconds that a call may take. */
  clockMs?: number
  /** How many run at once. */
  turnsMax?: number
  /** Bytes of memory for all that run (concurrency-limiter.ts). */
  memoryBytes?: number
  /** How many may wait. */
  waitingMax?: number
  /** Milliseconds without use after which waiting processes are ended. */
  idleMs?: number
  /** Processes of each language that wait for a call, from the first call on. */
  warm?: number
}

/** What code, input and configuration may be together. */
const TASK_CHARACTERS_MAX = 4_000_000
const PROGRAM = fileURLToPath(new URL('./inside/run.py', import.meta.url))

/** Nothing is started or made before the first call. `dataDir`/sandbox holds Python's snapshot, `dataDir`/wheels the operator's packages. */
export function createSandbox(
  deps: { net: Net; log: Logger; dataDir: string },
  bounds: SandboxBounds = {},
): Sandbox {
  const { net, log, dataDir } = deps
  const limiter = createConcurrencyLimiter(bounds)
  const wheels = createWheels(join(dataDir, 'wheels'))
  const { clockMs = CLOCK_MS } = bounds
  let pools: Pools | undefined

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
    try {
      pools ??= openPools(findRuntimes(), { ...deps, ...bounds, wheelsFolder: wheels.folder })
      const process = await pools[language === 'python' ? 'python' : 'javascript'].take(signal)
      // Its turn is over when it is gone, not when it has answered.
      void process.ended.then(endTurn)
      return await converse({
        process,
        task,
        reachHosts: createFetchProxy(net, call.network),
        clockMs,
        signal,
      })
    } catch (error) {
      endTurn()
      throw error
    }
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
    log.warn('without prlimit (util-linux) the memory of sandboxes is bounded by the heap of V8 only')
  const snapshot = createSnapshot(runtimes, join(dataDir, 'sandbox'), PROGRAM)
  const options = { log, ...(idleMs !== undefined && { idleMs }), ...(warm !== undefined && { warm }) }
  const javascript = createPool({
    ...options,
    start: async () => startDenoProcess({ runtime: 'javascript', runtimes, reads: [], parameters: [] }),
    onBroken: async () => {},
  })
  const python = createPool({
    ...options,
    start: async () =>
      startDenoProcess(startOf(runtimes, PROGRAM, 'run', await snapshot.find(), [wheelsFolder])),
    onBroken: snapshot.discard,
  })
  return {
    javascript,
    python,
    async close() {
      snapshot.close()
      await Promise.all([javascript.close(), python.close()])
    },
  }
}

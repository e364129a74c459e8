import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { fail, sentence } from '#errors'
import { currentWork } from '../telemetry/running.ts'
import type { Functions, Input, Output, ThreadAnswer, ThreadCall } from './functions.ts'

/*
 * Worker threads for functions that would keep the event loop for long. Organizations take turns, so that one with many
 * long texts does not delay the others.
 */

/** Maximum number of threads: one core is left to the event loop, and each thread may hold the tokenizer's tables. */
const THREADS_MAX = Math.max(1, Math.min(availableParallelism() - 1, 4))
/** Maximum number of calls that wait for a thread. More are refused. */
const WAITING_MAX = 100
/** Time limit of a call, from its start in a thread. A call normally takes less than a second. */
const CALL_MS_MAX = 20_000
/** Time limit of the wait for a thread. */
const WAIT_MS_MAX = 20_000
/** Time after which an idle thread ends and frees its memory. */
const IDLE_MS = 30_000
/** Limit of a thread's heap. A call that exceeds it fails, and its thread ends. */
const HEAP_MEGABYTES = 256

export interface ThreadBounds {
  threadsMax?: number
  waitingMax?: number
  callMs?: number
  waitMs?: number
  idleMs?: number
  heapMegabytes?: number
  /** The program of a thread. Tests replace it. */
  program?: URL
}

export interface Threads {
  /**
   * Runs a function in a thread, for the organization of the current work. Throws server.unavailable if too many calls
   * wait, a limit of time is exceeded, or the threads are ended. Rejects with the signal's reason if it aborts; a
   * running call then continues to its end, and its result is dropped.
   */
  run<Name extends keyof Functions>(
    name: Name,
    input: Input<Name>,
    signal?: AbortSignal,
  ): Promise<Output<Name>>
  /** Ends all threads. Running and waiting calls fail. Later calls start new threads. */
  end(): Promise<void>
}

interface Call extends ThreadCall {
  organizationId: string | null
  settle(outcome: { output: unknown } | { failure: unknown }): void
}

interface Thread {
  worker: Worker
  call: Call | undefined
  clock: NodeJS.Timeout | undefined
}

export function createThreads({
  threadsMax = THREADS_MAX,
  waitingMax = WAITING_MAX,
  callMs = CALL_MS_MAX,
  waitMs = WAIT_MS_MAX,
  idleMs = IDLE_MS,
  heapMegabytes = HEAP_MEGABYTES,
  program = new URL('./work-thread.ts', import.meta.url),
}: ThreadBounds = {}): Threads {
  const threads = new Set<Thread>()
  const waiting = new FairQueue()

  /** Fails the call of a thread that takes no more calls, and gives the next call to another thread. */
  const lose = (thread: Thread, failure: unknown): void => {
    if (!threads.delete(thread)) return
    clearTimeout(thread.clock)
    void thread.worker.terminate()
    thread.call?.settle({ failure })
    assign()
  }
  const start = (): Thread => {
    const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    const thread: Thread = { worker, call: undefined, clock: undefined }
    threads.add(thread)
    worker.unref()
    worker.on('message', (answer: ThreadAnswer) => {
      const { call } = thread
      thread.call = undefined
      clearTimeout(thread.clock)
      call?.settle('error' in answer ? { failure: answer.error } : answer)
      assign()
      if (!thread.call) thread.clock = setTimeout(() => lose(thread, undefined), idleMs).unref()
    })
    worker.once('error', (cause) => lose(thread, new Error('A thread failed', { cause })))
    worker.once('exit', (code) => lose(thread, new Error(`A thread ended with code ${code}`)))
    return thread
  }
  const begin = (thread: Thread, call: Call): void => {
    clearTimeout(thread.clock)
    thread.call = call
    thread.clock = setTimeout(() => {
      process.emitWarning(`a call of ${call.name} took longer than ${callMs} ms, and its thread was ended`)
      lose(thread, unavailable(sentence('threads.timeout', { seconds: callMs / 1_000 })))
    }, callMs).unref()
    thread.worker.postMessage({ name: call.name, input: call.input } satisfies ThreadCall)
  }
  const assign = (): void => {
    while (waiting.size > 0) {
      const idle = [...threads].find(({ call }) => !call)
      if (!idle && threads.size >= threadsMax) return
      const call = waiting.take()
      if (call) begin(idle ?? start(), call)
    }
  }

  return {
    async run(name, input, signal) {
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const call: Call = {
        name,
        input,
        organizationId: currentWork()?.organizationId ?? null,
        settle: (outcome) => ('failure' in outcome ? reject(outcome.failure) : resolve(outcome.output)),
      }
      if (waiting.size >= waitingMax) throw unavailable(sentence('threads.busy'))
      const abort = (): void => {
        waiting.remove(call)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort)
      const late = setTimeout(() => {
        if (waiting.remove(call)) reject(unavailable(sentence('threads.busy')))
      }, waitMs).unref()
      waiting.add(call)
      assign()
      try {
        return (await promise) as Output<typeof name>
      } finally {
        clearTimeout(late)
        signal?.removeEventListener('abort', abort)
      }
    },
    async end() {
      const failure = unavailable(sentence('threads.stopping'))
      for (let call = waiting.take(); call; call = waiting.take()) call.settle({ failure })
      const ended = [...threads].map(({ worker }) => worker)
      for (const thread of threads) lose(thread, failure)
      await Promise.all(ended.map((worker) => worker.terminate()))
    },
  }
}

const unavailable = (reason: string): Error => fail('server.unavailable', { reason })

/** Waiting calls. Organizations take turns, and the calls of each keep their order. */
class FairQueue {
  /** In the order of their turns. Contains no empty list. */
  readonly #byOrganization = new Map<string | null, Call[]>()
  size = 0

  add(call: Call): void {
    const own = this.#byOrganization.get(call.organizationId)
    if (own) own.push(call)
    else this.#byOrganization.set(call.organizationId, [call])
    this.size += 1
  }

  take(): Call | undefined {
    for (const [organizationId, [first, ...others]] of this.#byOrganization) {
      this.#byOrganization.delete(organizationId)
      if (others.length > 0) this.#byOrganization.set(organizationId, others)
      this.size -= 1
      return first
    }
    return undefined
  }

  /** Returns false if the call does not wait. */
  remove(call: Call): boolean {
    const own = this.#byOrganization.get(call.organizationId) ?? []
    const others = own.filter((one) => one !== call)
    if (others.length === own.length) return false
    if (others.length > 0) this.#byOrganization.set(call.organizationId, others)
    else this.#byOrganization.delete(call.organizationId)
    this.size -= 1
    return true
  }
}

/** The threads of this process. */
export const threads = createThreads()

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Preparation, PreparedTexts } from './prepare-text.ts'

/**
 * Prepares documents for indexing in worker threads, so that the event loop stays free and all cores work. A thread is
 * safe enough, because the text is limited in size and well-formed: files were parsed in separate processes
 * (platform/documents).
 */
export interface Preparer {
  prepare(preparation: Preparation): Promise<PreparedTexts>
  close(): Promise<void>
}

/** Time after which an idle thread ends and frees the tokenizer's tables, in milliseconds. */
const IDLE_MS = 30_000
/**
 * Time limit of a task, in milliseconds. A group of documents takes seconds, or a minute on a busy machine. A thread that
 * exceeds it ends, and its tasks fail.
 */
const TASK_MS_MAX = 300_000

/** Maximum number of threads: one per core, and few, because each has the tokenizer's tables in memory. */
export const THREADS_MAX = Math.min(availableParallelism(), 8)

export interface PreparerOptions {
  idleMs?: number
  taskMs?: number
  threadsMax?: number
}

/** Creates a preparer that starts a thread for each concurrent task, up to `THREADS_MAX`. */
export function createPreparer({
  idleMs = IDLE_MS,
  taskMs = TASK_MS_MAX,
  threadsMax = THREADS_MAX,
}: PreparerOptions = {}): Preparer {
  const threads = new Set<Thread>()
  const start = (): Thread => {
    const thread = startThread({ idleMs, taskMs }, () => threads.delete(thread))
    threads.add(thread)
    return thread
  }
  const leastBusy = (): Thread => {
    const [thread] = [...threads].sort((a, b) => a.tasks() - b.tasks())
    if (thread === undefined || (thread.tasks() > 0 && threads.size < threadsMax)) return start()
    return thread
  }
  return {
    prepare: (preparation) => leastBusy().prepare(preparation),
    async close() {
      await Promise.all([...threads].map((thread) => thread.end()))
    },
  }
}

interface Thread {
  /** Returns the number of pending tasks. */
  tasks(): number
  prepare: Preparer['prepare']
  end(): Promise<void>
}

interface Waiting {
  resolve(prepared: PreparedTexts): void
  reject(error: Error): void
}

type Answer = { id: number; prepared: PreparedTexts } | { id: number; error: Error }

/** Starts a thread, which runs its tasks one after another. `onEnd` is called as soon as it takes no more of them. */
function startThread({ idleMs, taskMs }: { idleMs: number; taskMs: number }, onEnd: () => void): Thread {
  const waiting = new Map<number, Waiting>()
  const worker = new Worker(new URL('./prepare-thread.ts', import.meta.url))
  let idle: NodeJS.Timeout | undefined
  let limit: NodeJS.Timeout | undefined
  let count = 0

  /** Rejects the pending tasks of the ended thread. */
  const rejectAll = (error: Error): void => {
    clearTimeout(idle)
    clearTimeout(limit)
    onEnd()
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const end = async (): Promise<void> => {
    rejectAll(hasEnded())
    await worker.terminate()
  }
  /** Limits the oldest task, which the thread runs now. */
  const limitNext = (): void => {
    clearTimeout(limit)
    if (waiting.size > 0) limit = setTimeout(giveUp, taskMs).unref()
  }
  const giveUp = (): void => {
    rejectAll(new Error(`The text preparation took longer than ${taskMs / 1_000} s, so its thread was ended`))
    void worker.terminate()
  }
  worker.unref()
  worker.on('message', (answer: Answer) => {
    const task = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) task?.reject(answer.error)
    else task?.resolve(answer.prepared)
    limitNext()
    if (waiting.size === 0) idle = setTimeout(end, idleMs).unref()
  })
  worker.once('error', rejectAll)
  worker.once('exit', () => rejectAll(hasEnded()))

  return {
    tasks: () => waiting.size,
    end,
    prepare(preparation) {
      clearTimeout(idle)
      const id = ++count
      worker.postMessage({ id, ...preparation })
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        if (waiting.size === 1) limitNext()
      })
    },
  }
}

const hasEnded = (): Error => new Error('The text preparation thread ended')

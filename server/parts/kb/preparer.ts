import { Worker } from 'node:worker_threads'
import type { Preparation, PreparedTexts } from './prepare-text.ts'

/**
 * Prepares documents for indexing in a worker thread, so that the event loop stays free. A thread is safe enough,
 * because the text is limited in size and well-formed: files were parsed in separate processes (platform/documents).
 */
export interface Preparer {
  prepare(preparation: Preparation): Promise<PreparedTexts>
  close(): Promise<void>
}

/** Time after which an idle thread ends and frees the tokenizer's tables, in milliseconds. */
const IDLE_MS = 30_000

interface Waiting {
  resolve(prepared: PreparedTexts): void
  reject(error: Error): void
}

type Answer = { id: number; prepared: PreparedTexts } | { id: number; error: Error }

export function createPreparer({ idleMs = IDLE_MS }: { idleMs?: number } = {}): Preparer {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0

  /** Rejects the pending tasks of an ended thread, once per thread. Later tasks start a new thread. */
  const rejectAll = (ended: Worker, error: Error): void => {
    if (thread !== ended) return
    thread = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const end = async (): Promise<void> => {
    const ended = thread
    if (!ended) return
    rejectAll(ended, hasEnded())
    await ended.terminate()
  }
  const settle = (answer: Answer): void => {
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) call?.reject(answer.error)
    else call?.resolve(answer.prepared)
    if (waiting.size === 0) idle = setTimeout(end, idleMs).unref()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./prepare-thread.ts', import.meta.url))
    started.unref()
    started.on('message', settle)
    started.once('error', (error: Error) => rejectAll(started, error))
    started.once('exit', () => rejectAll(started, hasEnded()))
    return started
  }

  return {
    prepare(preparation) {
      clearTimeout(idle)
      thread ??= start()
      const id = ++count
      thread.postMessage({ id, ...preparation })
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    async close() {
      clearTimeout(idle)
      await end()
    },
  }
}

const hasEnded = (): Error => new Error('The text preparation thread ended')

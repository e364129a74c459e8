import { parentPort } from 'node:worker_threads'
import { type Preparation, prepareTexts } from './prepare-text.ts'

/** Request to the thread. The response has the same `id`. */
export interface ThreadTask extends Preparation {
  id: number
}

let before: Promise<void> = Promise.resolve()

// Runs tasks sequentially, so that the first result can be written while the next task runs.
parentPort?.on('message', (task: ThreadTask) => {
  before = before.then(() => answer(task))
})

/** Runs a task and posts its result or error to the main thread. Never rejects. */
async function answer({ id, ...preparation }: ThreadTask): Promise<void> {
  try {
    const prepared = await prepareTexts(preparation)
    const buffers = prepared.texts.flatMap(({ words }) => words.map(({ buffer }) => buffer))
    if (prepared.vectors) buffers.push(prepared.vectors.buffer)
    parentPort?.postMessage({ id, prepared }, buffers as ArrayBuffer[])
  } catch (error) {
    parentPort?.postMessage({ id, error })
  }
}

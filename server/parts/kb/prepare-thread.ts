import { parentPort } from 'node:worker_threads'
import { type Preparation, prepareTexts } from './prepare-text.ts'

/** What a thread is asked, and what it answers; `id` tells which belong together. */
export interface ThreadTask extends Preparation {
  id: number
}

let before: Promise<void> = Promise.resolve()

// One after another: so the first is written while the next is prepared; side by side all would be ready at the end.
parentPort?.on('message', (task: ThreadTask) => {
  before = before.then(() => answer(task))
})

/** Never rejects. */
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

import { parentPort } from 'node:worker_threads'
import { type Preparation, prepareTexts } from './prepare-text.ts'

/** What a thread is asked, and what it answers; `id` tells which belong together. */
export interface ThreadTask extends Preparation {
  id: number
}

parentPort?.on('message', async ({ id, ...preparation }: ThreadTask) => {
  try {
    const prepared = await prepareTexts(preparation)
    const buffers = prepared.texts.flatMap(({ words }) => words.map(({ buffer }) => buffer))
    if (prepared.vectors) buffers.push(prepared.vectors.buffer)
    parentPort?.postMessage({ id, prepared }, buffers as ArrayBuffer[])
  } catch (error) {
    parentPort?.postMessage({ id, error })
  }
})

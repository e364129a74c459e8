import { parentPort } from 'node:worker_threads'
import { FUNCTIONS, type ThreadAnswer, type ThreadCall } from './functions.ts'

parentPort?.on('message', async ({ name, input }: ThreadCall) => {
  const run = FUNCTIONS[name] as (input: unknown) => unknown
  let answer: ThreadAnswer
  try {
    answer = { output: await run(input) }
  } catch (error) {
    answer = { error }
  }
  parentPort?.postMessage(answer)
})

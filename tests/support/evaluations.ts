import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './client.ts'
import type { Librarian } from './knowledge.ts'

const WAIT_MS_MAX = 60_000

/** Runs evaluations of one knowledge base through the public API. */
export interface Evaluator {
  create(questions: unknown): Promise<Answer>
  run(evaluationId: string, body?: object): Promise<Answer>
  /** Waits until a run has ended or no longer exists. */
  ended(runId: string): Promise<Answer>
  measure(evaluationId: string, body?: object): Promise<Answer['body']>
}

export function evaluator({ call }: Librarian, kbId: string): Evaluator {
  const run: Evaluator['run'] = (evaluationId, body = {}) =>
    call('POST', 'evaluations/run', { kb_id: kbId, evaluation_id: evaluationId }, body)
  const ended: Evaluator['ended'] = async (runId) => {
    const end = Date.now() + WAIT_MS_MAX
    for (;;) {
      const answer = await call('GET', 'evaluations/get_run', { kb_id: kbId, run_id: runId })
      if (answer.status !== 200 || ['complete', 'failed'].includes(answer.body.status)) return answer
      if (Date.now() > end) throw new Error(`not ended: ${answer.text}`)
      await sleep(25)
    }
  }
  return {
    create: (questions) =>
      call('POST', 'evaluations/create', { kb_id: kbId }, { name: 'What is asked', questions }),
    run,
    ended,
    measure: async (evaluationId, body) => (await ended((await run(evaluationId, body)).body.id)).body,
  }
}

/** Converts texts by name into sources of type `text`. */
export const sourcesOf = (texts: Record<string, string>): { type: string; config: object }[] =>
  Object.entries(texts).map(([name, content]) => ({ type: 'text', config: { name, content } }))

/** Returns the ids of a knowledge base's documents by name, for up to 100 documents. */
export async function idsOf({ call }: Librarian, kbId: string): Promise<Record<string, string>> {
  const { body } = await call('GET', 'list_documents', { kb_id: kbId, limit: '100' })
  return Object.fromEntries(body.documents.map(({ id, name }: Record<string, string>) => [name, id]))
}

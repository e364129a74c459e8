import { readFileSync } from 'node:fs'

/**
 * A small collection for measuring search quality. The passages are paragraphs from an old version of this project's
 * documentation and comments. The questions are worded independently, and `places` contains the positions of the
 * passages that answer a question.
 */
export interface Collection {
  passages: { id: number; text: string }[]
  questions: { question: string; places: number[] }[]
}

export function readCollection(): Collection {
  const { passages, questions } = JSON.parse(
    readFileSync(new URL('../fixtures/retrieval.json', import.meta.url), 'utf8'),
  ) as { passages: Collection['passages']; questions: { question: string; answers: number[] }[] }
  const placeOf = new Map(passages.map(({ id }, place) => [id, place]))
  return {
    passages,
    questions: questions.map(({ question, answers }) => ({
      question,
      places: answers.map((id) => placeOf.get(id) ?? -1),
    })),
  }
}

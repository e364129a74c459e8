import { readFileSync } from 'node:fs'

/**
 * A small collection to measure search with: paragraphs of an old version of this project's documentation and
 * comments, and independently worded questions, each with the positions of the passages that answer it.
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

import { readFileSync } from 'node:fs'

/**
 * A small collection to measure search by: paragraphs of this project's documentation and comments as they were once,
 * and questions that somebody asked of them in words of his own, each with the places of the passages that answer it.
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

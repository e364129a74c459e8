import type { EvaluationQuestion } from '@parley/client/schemas'

/** What was read, or what is wrong with the text, in words. */
export type ParsedQuestions = { questions: EvaluationQuestion[] } | { problem: string }

/** The server takes no more (server: kb, evaluation-schemas). */
export const QUESTIONS_MAX = 1_000

/**
 * Questions as they are pasted: JSON as the API has it, or CSV (RFC 4180; commas, semicolons or tabs) with a question and
 * then the names of documents that answer it, each in a column of its own. A first line that says "question" is a heading.
 */
export function parseQuestions(text: string): ParsedQuestions {
  const parsed = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text)
  if ('problem' in parsed) return parsed
  if (parsed.questions.length === 0) return { problem: 'There is no question in it.' }
  if (parsed.questions.length > QUESTIONS_MAX)
    return {
      problem: `These are ${parsed.questions.length} questions; an evaluation has at most ${QUESTIONS_MAX}.`,
    }
  return parsed
}

function fromJson(text: string): ParsedQuestions {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}` }
  }
  const list = Array.isArray(value) ? value : (value as { questions?: unknown }).questions
  if (!Array.isArray(list))
    return { problem: 'A list of questions is needed: [{"question": …, "document_names": […]}]' }
  const questions: EvaluationQuestion[] = []
  for (const [place, one] of list.entries()) {
    const { question, document_names: names, document_ids: ids } = (one ?? {}) as Record<string, unknown>
    if (typeof question !== 'string' || question.trim() === '')
      return { problem: `Entry ${place + 1} has no "question".` }
    if (!isTexts(names) && !isTexts(ids))
      return { problem: `Entry ${place + 1} has neither "document_names" nor "document_ids".` }
    questions.push({
      question,
      ...(isTexts(names) && { document_names: names }),
      ...(isTexts(ids) && { document_ids: ids }),
    })
  }
  return { questions }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')

function fromCsv(text: string): ParsedQuestions {
  const rows = readCsv(text).filter((row) => row.some((cell) => cell !== ''))
  if (/^questions?$/i.test(rows[0]?.[0] ?? '')) rows.shift()
  const questions: EvaluationQuestion[] = []
  for (const [question = '', ...documents] of rows) {
    const names = documents.filter((name) => name !== '')
    if (question === '') return { problem: `A line has no question: ${names.join(', ')}` }
    if (names.length === 0) return { problem: `No document is named for: ${question}` }
    questions.push({ question, document_names: names })
  }
  return { questions }
}

/** Rows of trimmed cells. */
function readCsv(text: string): string[][] {
  const separator = separatorOf(text)
  const rows: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    rows.at(-1)?.push(cell.trim())
    cell = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (letter === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (letter === separator) endCell()
    else if (letter === '\n') {
      endCell()
      rows.push([])
    } else cell += letter
  }
  endCell()
  return rows
}

/** That of which the first line has most, outside of quotes. */
function separatorOf(text: string): string {
  const line =
    text
      .trimStart()
      .split('\n', 1)[0]
      ?.replaceAll(/"[^"]*"/g, '') ?? ''
  const counts = ['\t', ';', ','].map((separator) => [separator, line.split(separator).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

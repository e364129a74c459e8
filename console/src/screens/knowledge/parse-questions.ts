import type { EvaluationQuestion } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('evaluations')

/** The parsed questions, or a sentence that says why the input is invalid. */
export type ParsedQuestions = { questions: EvaluationQuestion[] } | { problem: string }

/** Maximum number of questions, as on the server (server/parts/kb/evaluation-schemas.ts). */
export const QUESTIONS_MAX = 1_000

export const JSON_EXAMPLE = '[{"question": "…", "document_names": ["…"]}]'

/**
 * Parses pasted questions in the API's JSON format or as CSV (RFC 4180, separated by commas, semicolons or tabs).
 *
 * A CSV row contains a question, followed by the names of the documents that answer it, one per column. A first row
 * that begins with "question" is a header.
 */
export function parseQuestions(text: string): ParsedQuestions {
  const parsed = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text)
  if ('problem' in parsed) return parsed
  if (parsed.questions.length === 0) return { problem: t('problems.empty') }
  if (parsed.questions.length > QUESTIONS_MAX)
    return {
      problem: t('problems.tooMany', { limit: QUESTIONS_MAX, count: parsed.questions.length }),
    }
  return parsed
}

function fromJson(text: string): ParsedQuestions {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: t('problems.notJson', { reason: (error as Error).message }) }
  }
  const list = Array.isArray(value) ? value : (value as { questions?: unknown }).questions
  if (!Array.isArray(list)) return { problem: t('problems.notList', { example: JSON_EXAMPLE }) }
  const questions: EvaluationQuestion[] = []
  for (const [place, one] of list.entries()) {
    const { question, document_names: names, document_ids: ids } = (one ?? {}) as Record<string, unknown>
    if (typeof question !== 'string' || question.trim() === '')
      return { problem: t('problems.entryWithoutQuestion', { number: place + 1 }) }
    if (!isTexts(names) && !isTexts(ids))
      return { problem: t('problems.entryWithoutDocuments', { number: place + 1 }) }
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
    if (question === '')
      return { problem: t('problems.lineWithoutQuestion', { documents: names.join(', ') }) }
    if (names.length === 0) return { problem: t('problems.lineWithoutDocuments', { question }) }
    questions.push({ question, document_names: names })
  }
  return { questions }
}

/** Parses CSV into rows of cells. Trims each cell. */
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

/** Returns the separator that occurs most often in the first line. Ignores quoted cells. */
function separatorOf(text: string): string {
  const line =
    text
      .trimStart()
      .split('\n', 1)[0]
      ?.replaceAll(/"[^"]*"/g, '') ?? ''
  const counts = ['\t', ';', ','].map((separator) => [separator, line.split(separator).length] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

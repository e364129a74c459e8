import { beforeAll, expect, test } from 'vitest'
import { loadText } from '../../messages/index.ts'
import { parseQuestions } from './parse-questions.ts'

beforeAll(() => loadText('rest'))

test('a CSV row is a question and the documents that answer it, quoted if they contain a comma', () => {
  const text = 'question,documents\nWhen?,Opening hours\r\n"Who, and ""why""?",a.md,b.md,\n\n'
  expect(parseQuestions(text)).toEqual({
    questions: [
      { question: 'When?', document_names: ['Opening hours'] },
      { question: 'Who, and "why"?', document_names: ['a.md', 'b.md'] },
    ],
  })
})

test('semicolons and tabs, as exported by spreadsheets, separate columns too', () => {
  const questions = [{ question: 'When, and where?', document_names: ['a.md'] }]
  expect(parseQuestions('When, and where?;a.md')).toEqual({ questions: [{ ...questions[0] }] })
  expect(parseQuestions('When, and where?\ta.md')).toEqual({ questions })
})

test('JSON is accepted as a list or as the request body of the API', () => {
  const questions = [{ question: 'When?', document_ids: ['1'] }]
  expect(parseQuestions(JSON.stringify(questions))).toEqual({ questions })
  expect(parseQuestions(JSON.stringify({ name: 'x', questions }))).toEqual({ questions })
})

test('invalid input is explained', () => {
  expect(parseQuestions('')).toEqual({ problem: 'Enter at least one question.' })
  expect(parseQuestions('When?')).toEqual({ problem: 'Name at least one document that answers “When?”.' })
  expect(parseQuestions('[{"question": "When?"}]')).toEqual({
    problem: 'Entry 1: Add "document_names" or "document_ids".',
  })
  expect(parseQuestions('[{"question": 1}]')).toEqual({ problem: 'Entry 1: Add a "question".' })
  expect(parseQuestions('{"a": 1}')).toHaveProperty('problem')
  expect(parseQuestions('[{')).toHaveProperty('problem')
  expect(parseQuestions('Q,a\n'.repeat(1_001))).toEqual({
    problem: 'Remove some questions: an evaluation can have at most 1,000, and you entered 1,001.',
  })
})

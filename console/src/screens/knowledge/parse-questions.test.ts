import { expect, test } from 'vitest'
import { parseQuestions } from './parse-questions.ts'

test('CSV has a question and the documents that answer it, in quotes where they hold a comma', () => {
  const text = 'question,documents\nWhen?,Opening hours\r\n"Who, and ""why""?",a.md,b.md,\n\n'
  expect(parseQuestions(text)).toEqual({
    questions: [
      { question: 'When?', document_names: ['Opening hours'] },
      { question: 'Who, and "why"?', document_names: ['a.md', 'b.md'] },
    ],
  })
})

test('semicolons and tabs part columns too, as spreadsheets have them', () => {
  const questions = [{ question: 'When, and where?', document_names: ['a.md'] }]
  expect(parseQuestions('When, and where?;a.md')).toEqual({ questions: [{ ...questions[0] }] })
  expect(parseQuestions('When, and where?\ta.md')).toEqual({ questions })
})

test('JSON is a list, or what the API takes', () => {
  const questions = [{ question: 'When?', document_ids: ['1'] }]
  expect(parseQuestions(JSON.stringify(questions))).toEqual({ questions })
  expect(parseQuestions(JSON.stringify({ name: 'x', questions }))).toEqual({ questions })
})

test('what is wrong is said in words', () => {
  expect(parseQuestions('')).toEqual({ problem: 'There is no question in it.' })
  expect(parseQuestions('When?')).toEqual({ problem: 'No document is named for: When?' })
  expect(parseQuestions('[{"question": "When?"}]')).toEqual({
    problem: 'Entry 1 has neither "document_names" nor "document_ids".',
  })
  expect(parseQuestions('[{"question": 1}]')).toEqual({ problem: 'Entry 1 has no "question".' })
  expect(parseQuestions('{"a": 1}')).toHaveProperty('problem')
  expect(parseQuestions('[{')).toHaveProperty('problem')
  expect(parseQuestions('Q,a\n'.repeat(1_001))).toEqual({
    problem: 'These are 1001 questions; an evaluation has at most 1000.',
  })
})

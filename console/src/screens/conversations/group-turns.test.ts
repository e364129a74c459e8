import type { ConversationMessage } from '@parley/client/schemas'
import { expect, test } from 'vitest'
import { turnsOf } from './group-turns.ts'

/** Creates a message. By default, the parent of a reply is the previous message. */
const message = (
  id: string,
  role: 'user' | 'assistant',
  content: string,
  parent_message_id = String(Number(id) - 1),
): ConversationMessage => ({
  id,
  conversation_id: 'c',
  parent_message_id,
  role,
  content,
  status: 'complete',
  error: null,
  error_code: null,
  error_values: null,
  finish_reason: null,
  model_id: role === 'user' ? null : `model of ${id}`,
  usage: null,
  created_at: '2026-01-01T00:00:00.000Z',
})

test('replies of several models to one question form one turn; repeating the question starts another', () => {
  const messages = [
    message('0', 'assistant', 'of a page before'),
    message('1', 'user', 'Why?'),
    message('2', 'assistant', 'Because.'),
    message('3', 'user', 'Why?'),
    message('4', 'assistant', 'Who knows.'),
    message('5', 'user', 'And how?'),
    message('6', 'assistant', 'So.'),
  ]
  expect(
    turnsOf(messages.toReversed()).map(({ question, replies }) => [
      question,
      ...replies.map(({ content }) => content),
    ]),
  ).toEqual([
    ['Why?', 'Because.', 'Who knows.'],
    ['And how?', 'So.'],
  ])
  expect(turnsOf([])).toEqual([])
})

test('repeating a question to the same model starts another turn', () => {
  const again = { ...message('4', 'assistant', 'Still because.'), model_id: 'model of 2' }
  const messages = [
    message('1', 'user', 'Why?'),
    message('2', 'assistant', 'Because.'),
    message('3', 'user', 'Why?'),
    again,
  ]
  expect(turnsOf(messages.toReversed()).map(({ replies }) => replies.length)).toEqual([1, 1])
})

test('concurrent replies stay with their questions', () => {
  const messages = [
    message('1', 'user', 'Why?'),
    message('2', 'user', 'How?'),
    message('3', 'assistant', 'Because.', '1'),
    message('4', 'assistant', 'So.', '2'),
  ]
  expect(
    turnsOf(messages.toReversed()).map(({ question, replies }) => [question, replies[0]?.content]),
  ).toEqual([
    ['Why?', 'Because.'],
    ['How?', 'So.'],
  ])
})

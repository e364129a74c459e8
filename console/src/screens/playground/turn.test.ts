import { expect, test } from 'vitest'
import { NEW_REPLY, type PlaygroundEvent, replyAfter } from './turn.ts'

const after = (...events: PlaygroundEvent[]) => events.reduce(replyAfter, NEW_REPLY)
const text = (message: string): PlaygroundEvent => ({ message, tool: null })
const begun: PlaygroundEvent = {
  message: '',
  tool: { id: 'c', name: 'search', input: { q: 'x' }, output: null },
}
const ended: PlaygroundEvent = {
  message: '',
  tool: { id: 'c', name: 'search', input: { q: 'x' }, output: { n: 1 }, successful: true, error: null },
}

test('text and calls keep their order, and a finished call stays in place', () => {
  const reply = after(text('Let me '), text('look.'), begun, text('Found.'), ended, text('DONE'))
  expect(reply).toEqual({
    parts: [
      { text: 'Let me look.' },
      {
        call: {
          id: 'c',
          name: 'search',
          input: { q: 'x' },
          output: { n: 1 },
          successful: true,
          error: null,
        },
      },
      { text: 'Found.' },
    ],
    serverIds: [],
    error: null,
    isOver: true,
  })
})

test('a running call has no outcome', () => {
  expect(after(begun).parts).toEqual([
    { call: { id: 'c', name: 'search', input: { q: 'x' }, output: null, successful: null, error: null } },
  ])
})

test('a reply lists recommended servers, and an error ends it', () => {
  expect(after(text('Try this'), { mcp: { server_ids: ['s'] }, message: '' })).toMatchObject({
    serverIds: ['s'],
    isOver: false,
  })
  expect(after(text('Try'), { error: 'The model failed' })).toMatchObject({
    parts: [{ text: 'Try' }],
    error: 'The model failed',
    isOver: true,
  })
})

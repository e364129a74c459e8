import type { PlaygroundEvent } from '@parley/client/schemas'
import { expect, test } from 'vitest'
import { NEW_REPLY, replyAfter } from './turn.ts'

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

test('text and calls stand in the order in which they came, and a call that ends stays where it began', () => {
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

test('a call that runs has no outcome', () => {
  expect(after(begun).parts).toEqual([
    { call: { id: 'c', name: 'search', input: { q: 'x' }, output: null, successful: null, error: null } },
  ])
})

test('servers that are recommended, and an error, which ends it', () => {
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

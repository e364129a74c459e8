import type { ChatMessage } from '@parley/client/schemas'
import { expect, test } from 'vitest'
import { branchOf, newestLeafBelow, siblingsOf } from './branch.ts'

const message = (id: string, parent: string | null) =>
  ({
    id,
    parent_message_id: parent,
    role: id.startsWith('u') ? 'user' : 'assistant',
  }) as unknown as ChatMessage

/** The message u1 has two replies, r1 and r1b. The message after r1 has two versions, u2 and u3. */
const MESSAGES = [
  message('u1', null),
  message('r1', 'u1'),
  message('u2', 'r1'),
  message('r2', 'u2'),
  message('r1b', 'u1'),
  message('u3', 'r1'),
  message('r3', 'u3'),
]
const idsOf = (messages: readonly ChatMessage[]) => messages.map(({ id }) => id)

test('a branch is the path from its leaf to the root', () => {
  expect(idsOf(branchOf(MESSAGES, 'r3').messages)).toEqual(['u1', 'r1', 'u3', 'r3'])
  expect(idsOf(branchOf(MESSAGES, 'r1b').messages)).toEqual(['u1', 'r1b'])
  expect(branchOf(MESSAGES, null)).toEqual({ messages: [], goesOn: false })
})

test('a branch with unloaded messages reports them', () => {
  const { messages, goesOn } = branchOf(MESSAGES.slice(3), 'r3')
  expect({ ids: idsOf(messages), goesOn }).toEqual({ ids: ['u3', 'r3'], goesOn: true })
})

test('siblings have the same parent', () => {
  const siblings = siblingsOf(MESSAGES)
  expect(idsOf(siblings.get('u1') ?? [])).toEqual(['r1', 'r1b'])
  expect(idsOf(siblings.get('r1') ?? [])).toEqual(['u2', 'u3'])
  expect(idsOf(siblings.get(null) ?? [])).toEqual(['u1'])
})

test('the leaf of a message is the newest reply below it', () => {
  expect(newestLeafBelow(MESSAGES, 'u2')).toBe('r2')
  expect(newestLeafBelow(MESSAGES, 'r1')).toBe('r3')
  expect(newestLeafBelow(MESSAGES, 'r1b')).toBe('r1b')
  expect(newestLeafBelow(MESSAGES, 'u9')).toBeNull()
})

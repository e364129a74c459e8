import { expect, test } from 'vitest'
import { initialsOf } from './avatar.tsx'

test.each([
  ['Ada King Lovelace', 'AL'],
  ['ada', 'A'],
  ['Support (internal)', 'SI'],
  ['über-agent', 'ÜA'],
  ['李 明', '李明'],
  ['🙂', ''],
])('the initials of %s are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

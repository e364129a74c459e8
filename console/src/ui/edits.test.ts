import { expect, test } from 'vitest'
import { changesOf, withoutSent } from './edits.ts'

const SAVED = { name: 'a', tools: [{ id: 1 }], note: null as string | null }

test('changes are what differs, also where it was typed and taken back', () => {
  expect(changesOf(SAVED, { name: 'b', tools: [{ id: 1 }], note: null })).toEqual({ name: 'b' })
  expect(changesOf(SAVED, { name: 'a' })).toEqual({})
  expect(changesOf(SAVED, { note: '' })).toEqual({ note: '' })
})

test('what was sent is forgotten, unless it was changed again meanwhile', () => {
  expect(withoutSent<typeof SAVED>({ name: 'b', note: 'x' }, { name: 'b' })).toEqual({ note: 'x' })
  expect(withoutSent<typeof SAVED>({ name: 'c' }, { name: 'b' })).toEqual({ name: 'c' })
})

import { expect, test } from 'vitest'
import { changesOf, withoutSent } from './edits.ts'

const SAVED = { name: 'a', tools: [{ id: 1 }], note: null as string | null }

test('a value that is typed and then restored is not a change', () => {
  expect(changesOf(SAVED, { name: 'b', tools: [{ id: 1 }], note: null })).toEqual({ name: 'b' })
  expect(changesOf(SAVED, { name: 'a' })).toEqual({})
  expect(changesOf(SAVED, { note: '' })).toEqual({ note: '' })
})

test('sent changes are cleared, unless they changed again after sending', () => {
  expect(withoutSent<typeof SAVED>({ name: 'b', note: 'x' }, { name: 'b' })).toEqual({ note: 'x' })
  expect(withoutSent<typeof SAVED>({ name: 'c' }, { name: 'b' })).toEqual({ name: 'c' })
})

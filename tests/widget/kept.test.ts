import { afterEach, expect, test, vi } from 'vitest'
import { Kept } from '../../widget/frame/kept.ts'

/** The data that the widget stores in the browser. */

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A storage whose writes can be refused, as those of a browser with a full disk. */
function stubStorage() {
  const stored = new Map<string, string>()
  const faults = { isFull: false }
  const refuse = () => {
    if (faults.isFull) throw new DOMException('full', 'QuotaExceededError')
  }
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      refuse()
      stored.set(key, value)
    },
    removeItem(key: string) {
      refuse()
      stored.delete(key)
    },
  })
  return { stored, faults }
}

test('a value that the browser refuses to store hides the older stored one until it can be stored', () => {
  const { stored, faults } = stubStorage()
  const kept = new Kept('d')
  kept.set('session', 'one')
  faults.isFull = true
  kept.set('session', 'two')
  expect([kept.get('session'), stored.get('parley:d:session')]).toEqual(['two', 'one'])
  kept.set('session', null)
  expect(kept.get('session')).toBeNull()
  faults.isFull = false
  kept.set('session', 'three')
  stored.set('parley:d:session', 'four') // by another tab
  expect(kept.get('session')).toBe('four')
})

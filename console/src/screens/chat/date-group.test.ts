import { expect, test } from 'vitest'
import { dateGroupOf } from './date-group.ts'

test('chats are grouped by the days of the calendar, then by month', () => {
  const now = new Date(2026, 2, 10, 1)
  const groupOf = (...date: [number, number, number, number]) =>
    dateGroupOf(new Date(...date).toISOString(), now)
  expect(groupOf(2026, 2, 10, 0)).toBe('today')
  expect(groupOf(2026, 2, 9, 23)).toBe('yesterday')
  expect(groupOf(2026, 2, 9, 0)).toBe('yesterday')
  expect(groupOf(2026, 2, 3, 0)).toBe('week')
  expect(groupOf(2026, 2, 2, 23)).toEqual({ month: 'March 2026' })
  expect(groupOf(2025, 11, 31, 12)).toEqual({ month: 'December 2025' })
})

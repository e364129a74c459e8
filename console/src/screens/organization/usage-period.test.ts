import { expect, it } from 'vitest'
import { everyDay, periodOf } from './usage-period.ts'

it('a period ends today (UTC)', () => {
  expect(periodOf(7, Date.parse('2026-03-02T23:59:59Z'))).toEqual({ from: '2026-02-24', to: '2026-03-02' })
})

it('days without usage have the value 0', () => {
  const rows = [{ day: '2026-02-28', credits: 5 }]
  expect(everyDay({ from: '2026-02-27', to: '2026-03-01' }, rows)).toEqual([
    { label: '2026-02-27', value: 0 },
    { label: '2026-02-28', value: 5 },
    { label: '2026-03-01', value: 0 },
  ])
})

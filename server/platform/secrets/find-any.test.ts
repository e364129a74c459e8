import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findAnyOf } from './find-any.ts'

test('the characters found are those that some string covers', () => {
  const strings = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(strings, { maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 }),
      (wanted, text) => {
        const covered = new Set<number>()
        for (const one of wanted)
          for (let at = text.indexOf(one); at >= 0; at = text.indexOf(one, at + 1))
            for (let index = at; index < at + one.length; index += 1) covered.add(index)
        const ranges = findAnyOf(wanted)(text)
        const found = ranges.flatMap(({ start, end }) =>
          Array.from({ length: end - start }, (_, index) => start + index),
        )
        expect(found).toEqual([...covered].sort((one, other) => one - other))
        for (const [index, range] of ranges.slice(1).entries())
          expect(range.start).toBeGreaterThan(ranges[index]?.end as number)
      },
    ),
    { numRuns: 1_000 },
  )
})

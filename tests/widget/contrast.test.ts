import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrast, readableOn, textOn } from '../../widget/contrast.ts'

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`)

test('computes contrast as WCAG defines it', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrast('#0f766e', '#ffffff')).toBeCloseTo(contrast('#ffffff', '#0f766e'))
})

test('makes text readable on and in any color', () => {
  fc.assert(
    fc.property(color, color, (background, wanted) => {
      expect(contrast(textOn(background), background)).toBeGreaterThanOrEqual(4.5)
      const found = readableOn(background, wanted, 4.5)
      expect(found).toMatch(/^#[\da-f]{6}$/)
      expect(contrast(found, background)).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('keeps a readable color', () => {
  expect(readableOn('#ffffff', '#0f766e', 4.5)).toBe('#0f766e')
})

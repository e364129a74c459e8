import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskOf } from './mask-secrets.ts'

const SECRET = 'k€y+/ "quoted" 1234'
const bytes = Buffer.from(SECRET)

test.each([
  ['unencoded', SECRET],
  ['in base64', bytes.toString('base64')],
  ['in base64url', bytes.toString('base64url')],
  ['in hex', bytes.toString('hex')],
  ['in a URL', encodeURIComponent(SECRET)],
  ['in a form body', encodeURIComponent(SECRET).replaceAll('%20', '+')],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
])('a secret is masked %s', (_how, spelling) => {
  const mask = maskOf([SECRET])
  const masked = mask.text(`before ${spelling} after`)
  expect(masked).toContain('***')
  expect(masked).toMatch(/^before .* after$/)
  expect(masked).not.toContain(spelling.slice(2, -2))
  expect(mask.value({ [spelling]: [spelling, { a: 5 }] })).toEqual({
    [mask.text(spelling)]: [mask.text(spelling), { a: 5 }],
  })
})

test('a secret is masked at any position in base64 text, as in Basic authentication', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary-ascii' }),
      fc.string({ minLength: 8 }),
      fc.string({ unit: 'binary-ascii' }),
      (before, secret, after) => {
        const encoded = Buffer.from(before + secret + after).toString('base64')
        const masked = maskOf([secret]).text(encoded)
        expect(masked).toContain('***')
      },
    ),
  )
})

test('numbers and nested values are masked, but nothing shorter than four characters', () => {
  const mask = maskOf([123456, ['inner-secret'], { a: 'deep-secret' }, 'abc', true, null])
  expect(mask.value([123456, '123456', 'inner-secret deep-secret', 'abc', true])).toEqual([
    '***',
    '***',
    '*** ***',
    'abc',
    true,
  ])
})

test('without secrets, values are unchanged', () => {
  const value = { a: [1, 'b'] }
  expect(maskOf([]).value(value)).toBe(value)
})

import { describe, expect, it } from 'vitest'
import { addressesIn } from './addresses.ts'

describe('email addresses of a pasted text', () => {
  it('accepts lines, commas, semicolons, spaces, and names before angle brackets', () => {
    const text =
      'ada@example.com, grace@example.com;\n"Hopper, Grace" \nAlan Turing <alan@example.com>\n kurt@example.com emmy@example.com'
    expect(addressesIn(text).addresses).toEqual([
      'ada@example.com',
      'grace@example.com',
      'alan@example.com',
      'kurt@example.com',
      'emmy@example.com',
    ])
  })

  it('removes duplicates, ignoring case', () => {
    expect(addressesIn('Ada@Example.com ada@example.com').addresses).toHaveLength(1)
  })

  it('returns the parts that are not addresses', () => {
    expect(addressesIn('ada@example, bob, ada@example.com')).toEqual({
      addresses: ['ada@example.com'],
      others: ['ada@example', 'bob'],
    })
    expect(addressesIn(' ,\n')).toEqual({ addresses: [], others: [] })
  })
})

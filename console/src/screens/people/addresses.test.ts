import { describe, expect, it } from 'vitest'
import { addressesIn } from './addresses.ts'

describe('email addresses in pasted text', () => {
  it('are split at lines, commas, semicolons and spaces, and read from angle brackets', () => {
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

  it('are deduplicated, ignoring case', () => {
    expect(addressesIn('Ada@Example.com ada@example.com').addresses).toHaveLength(1)
  })

  it('are reported separately if they are invalid', () => {
    expect(addressesIn('ada@example, bob, ada@example.com')).toEqual({
      addresses: ['ada@example.com'],
      others: ['ada@example', 'bob'],
    })
    expect(addressesIn(' ,\n')).toEqual({ addresses: [], others: [] })
  })
})

import { describe, expect, it } from 'vitest'
import { addressesIn } from './addresses.ts'

describe('addresses of a pasted text', () => {
  it('takes lines, commas, semicolons, spaces, and names before brackets', () => {
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

  it('takes each once, whatever the case', () => {
    expect(addressesIn('Ada@Example.com ada@example.com').addresses).toHaveLength(1)
  })

  it('tells what is no address', () => {
    expect(addressesIn('ada@example, bob, ada@example.com')).toEqual({
      addresses: ['ada@example.com'],
      others: ['ada@example', 'bob'],
    })
    expect(addressesIn(' ,\n')).toEqual({ addresses: [], others: [] })
  })
})

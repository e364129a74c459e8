import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '#config'
import { costOf } from './cost.ts'

test.each([
  [12_000, '0.000002', '0.024'],
  [0.000001, '0.000002', '0.000000000002'],
  [123_456_789.123456, '1', '123456789.123456'],
  [3, '10.5', '31.5'],
  [0, '2', '0'],
  [-5, '0.01', '-0.05'],
])('%d credits at %s cost %s', (credits, amount, cost) => {
  expect(costOf(credits, { amount, currency: 'EUR' })).toEqual({ amount: cost, currency: 'EUR' })
})

test('CREDIT_PRICE is a positive decimal number and a currency', () => {
  const read = (value: string) => readConfig({ CREDIT_PRICE: value }).creditPrice
  expect(read('0.000002 EUR')).toEqual({ amount: '0.000002', currency: 'EUR' })
  expect(read('')).toBeNull()
  for (const wrong of ['0.00 EUR', '-1 EUR', '1', '1 XQQ', '1 eur', '1e-6 EUR', '.5 EUR', '1 EUR extra'])
    expect(() => read(wrong)).toThrow(ConfigError)
})

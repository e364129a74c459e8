import type { Config } from '#config'

export interface Cost {
  /** A decimal number, such as `0.024`. */
  amount: string
  currency: string
}

/** Decimal places of credits in the ledger. */
const CREDIT_PLACES = 6

/** Returns the exact cost of credits. A price has at most 12 decimal places. */
export function costOf(credits: number, price: NonNullable<Config['creditPrice']>): Cost {
  const [whole = '', fraction = ''] = price.amount.split('.')
  const units = BigInt(Math.round(credits * 10 ** CREDIT_PLACES)) * BigInt(whole + fraction)
  return { amount: decimal(units, CREDIT_PLACES + fraction.length), currency: price.currency }
}

function decimal(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction && `.${fraction}`}`
}

import type { Budget } from '@parley/client/schemas'

/** The share of a budget from which on it is nearly used up. */
const WARNING_SHARE = 0.8

/** Returns whether a budget still allows messages, and whether it is about to end. */
export function budgetState({ credits_per_month, available }: Budget): 'used' | 'nearlyUsedUp' | 'usedUp' {
  if (available < 1) return 'usedUp'
  return available <= credits_per_month * (1 - WARNING_SHARE) ? 'nearlyUsedUp' : 'used'
}

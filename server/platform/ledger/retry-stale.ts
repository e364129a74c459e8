/**
 * Result for an item that the statement skipped, because it did not know the organization's budgets: they changed while
 * the statement waited for the account, or the statement reads none.
 */
export const STALE = 'stale'

/**
 * Runs a statement for `items`, and runs it again for items with the result STALE. The next run has a newer snapshot,
 * which includes the changed budgets (hold-statements.ts). Returns the results in the order of `items`.
 */
export async function retryStale<Item, Result>(
  items: readonly Item[],
  run: (items: Item[]) => Promise<(Result | typeof STALE)[]>,
): Promise<Result[]> {
  const results: Result[] = []
  let left = items.map((item, position) => ({ item, position }))
  while (left.length > 0) {
    const answers = await run(left.map(({ item }) => item))
    left = left.filter(({ position }, index) => {
      const answer = answers[index] as Result | typeof STALE
      if (answer === STALE) return true
      results[position] = answer
      return false
    })
  }
  return results
}

import { isInTransaction, outsideTransaction } from './ambient.ts'

/**
 * Turns a statement over many items into a function for one: while a run is under way, the items that come wait,
 * and go together as the next one. So a busy server sends few, large statements, and an idle one waits for nothing.
 *
 * `run` gets at most `limit` items and answers one result for each, in the same order. When it fails, each item of
 * the group is tried alone, so that one bad item fails alone. Inside an ambient transaction an item goes alone too.
 */
export function grouped<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  limit: number,
): (item: Item) => Promise<Result> {
  let waiting: PendingItem<Item, Result>[] = []
  let running = false

  async function next(): Promise<void> {
    const group = waiting.slice(0, limit)
    waiting = waiting.slice(limit)
    await settle(run, group)
    if (waiting.length > 0) setImmediate(next)
    else running = false
  }

  const inGroup = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject, parent: traces?.current() })
      if (running) return
      running = true
      outsideTransaction(() => setImmediate(next))
    })

  const alone = async (item: Item): Promise<Result> => (await run([item]))[0] as Result

  return (item) => (isInTransaction() ? alone(item) : inGroup(item))
}

/** The items of a group as JSON for `json_to_recordset`, each with its ordinal in the group. */
export const toRows = (items: readonly object[]): string =>
  JSON.stringify(items.map((item, ordinal) => ({ ...item, ordinal })))

interface PendingItem<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** Where in a trace it was asked for. */
  parent: unknown
}

/** Has what serves a group stand in the trace of each of its items. */
export interface GroupTraces {
  current(): unknown
  within<R>(parents: unknown[], work: () => R): R
}

let traces: GroupTraces | null = null

/** For all groups of the process; null: there are no traces. */
export function traceGroups(groups: GroupTraces | null): void {
  traces = groups
}

async function settle<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  group: PendingItem<Item, Result>[],
): Promise<void> {
  try {
    const work = (): Promise<Result[]> => run(group.map(({ item }) => item))
    const parents = group.map(({ parent }) => parent)
    const results = await (traces ? traces.within(parents, work) : work())
    group.forEach(({ resolve }, index) => {
      resolve(results[index] as Result)
    })
  } catch (error) {
    if (group.length === 1) group[0]?.reject(error)
    else for (const one of group) await settle(run, [one])
  }
}

import { assertConnectionFree, isInTransaction, outsideTransaction } from './ambient.ts'
import { isUnavailable } from './unavailable.ts'

/**
 * Turns a statement over many items into a function for one item. Items that arrive during a run wait and form the
 * next group. A busy server therefore sends few, large statements, and an idle server adds no delay.
 *
 * `run` receives at most `limit` items and returns one result per item, in the same order. If a group fails, each of
 * its items is retried alone, so an invalid item fails only itself. If the database is unavailable, all items of the
 * group fail. Inside an ambient transaction, every item runs alone.
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
      assertConnectionFree()
      waiting.push({ item, resolve, reject, parent: traces?.current() })
      if (running) return
      running = true
      outsideTransaction(() => setImmediate(next))
    })

  const alone = async (item: Item): Promise<Result> => (await run([item]))[0] as Result

  return (item) => (isInTransaction() ? alone(item) : inGroup(item))
}

/** Encodes the items of a group as JSON for `json_to_recordset`, each with its ordinal in the group. */
export const toRows = (items: readonly object[]): string =>
  JSON.stringify(items.map((item, ordinal) => ({ ...item, ordinal })))

interface PendingItem<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** The trace context of the call that added the item. */
  parent: unknown
}

/** Records the run of a group in the trace of every item in the group. */
export interface GroupTraces {
  current(): unknown
  within<R>(parents: unknown[], work: () => R): R
}

let traces: GroupTraces | null = null

/** Sets the tracing of all groups in this process. Null disables it. */
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
    if (group.length === 1 || isUnavailable(error)) for (const { reject } of group) reject(error)
    else for (const one of group) await settle(run, [one])
  }
}

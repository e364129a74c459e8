export type SerialQueue = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Runs work of the same name one at a time, so that 1,000 identical requests use one database connection. */
export function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before ? before.then(work, work) : work()
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}

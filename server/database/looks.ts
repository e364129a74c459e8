import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Statements that only look for work, such as those of a sweep. They are left out of the number of statements by which
 * a process knows whether it is idle (platform/sweeps/sweeps.ts).
 */

const looks = new AsyncLocalStorage<boolean>()

/** Runs `work`, whose statements are looks. Includes the statements of timers and loops that it starts. */
export const asLook = <Result>(work: () => PromiseLike<Result>): Promise<Result> =>
  // Waits inside, because a statement is sent only once it is awaited.
  looks.run(true, async () => await work())

/** Runs work that a look has found. Its statements are not looks. */
export const asWork = <Result>(work: () => PromiseLike<Result>): Promise<Result> =>
  looks.run(false, async () => await work())

export const isLook = (): boolean => looks.getStore() === true

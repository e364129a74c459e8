import { AsyncLocalStorage } from 'node:async_hooks'

/*
 * Names the request, message, job or sweep that a piece of code belongs to. Requests enter in watch-requests.ts, messages
 * in register-sockets.ts, jobs in jobs.ts, sweeps in sweeps.ts and repeat.ts.
 */

/** Work that the stall watch and the log can name. */
export interface RunningWork {
  /** Kind and name without ids, such as `POST /api/kb/search`, `job mail` or `sweep webhooks`. Labels of metrics use it. */
  readonly name: string
  /** The organization that the work is for. Null before it is known, and for work of the whole installation. */
  organizationId: string | null
  /** The request that caused the work. Null for jobs and sweeps. */
  readonly requestId: string | null
  /** The user who sent the request. Null before they are known, for visitors and for other work. */
  userId: string | null
  /** True once the response is sent or the job is done. Timers and connections that began in it may still run. */
  hasEnded: boolean
}

const running = new AsyncLocalStorage<RunningWork>()

export const describeWork = (
  name: string,
  organizationId: string | null = null,
  requestId: string | null = null,
): RunningWork => ({
  name,
  organizationId,
  requestId,
  userId: null,
  hasEnded: false,
})

/** Runs code that belongs to `work`, including everything asynchronous that it starts. */
export const within = <Result>(work: RunningWork, code: () => Result): Result => running.run(work, code)

/** Runs a message, a job or a sweep. The work ends with the promise of `code`. */
export async function runWork<Result>(work: RunningWork, code: () => Result): Promise<Awaited<Result>> {
  try {
    return await running.run(work, code)
  } finally {
    work.hasEnded = true
  }
}

export const currentWork = (): RunningWork | undefined => running.getStore()

/** States the organization of the current work, as soon as access control knows it. */
export function setOrganization(organizationId: string): void {
  const work = running.getStore()
  if (work) work.organizationId = organizationId
}

/** States the user of the current work. */
export function setUser(userId: string): void {
  const work = running.getStore()
  if (work) work.userId = userId
}

import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** The limits of a container, for cgroup v2 and v1. Outside of containers they are absent or say nothing. */
const CGROUP_LIMITS = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']

/** Bytes of memory that this process and its children can have: the machine's, or the smallest limit of its cgroup. */
export function machineMemory(
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
  { total = totalmem(), constrained = process.constrainedMemory() } = {},
): number {
  const limits = CGROUP_LIMITS.map((path) => {
    try {
      return Number(read(path)) // `max` is no number
    } catch {
      return Number.NaN
    }
  })
  // Without a limit libuv and cgroup v1 say 0, or more than there can be.
  return Math.min(total, ...[constrained, ...limits].filter((limit) => limit > 0))
}

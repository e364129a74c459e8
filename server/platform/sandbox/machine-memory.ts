import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** Memory limits of a container, for cgroup v2 and v1. Absent or without a limit outside containers. */
const CGROUP_LIMITS = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']

/**
 * Returns the memory in bytes available to this process and its children: the machine's, or the smallest cgroup limit.
 */
export function machineMemory(
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
  { total = totalmem(), constrained = process.constrainedMemory() } = {},
): number {
  const limits = CGROUP_LIMITS.map((path) => {
    try {
      return Number(read(path)) // `max` is not a number
    } catch {
      return Number.NaN
    }
  })
  // Without a limit, libuv and cgroup v1 report 0 or an impossibly large number.
  return Math.min(total, ...[constrained, ...limits].filter((limit) => limit > 0))
}

import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/**
 * Files with the memory limits of a container (cgroup v2 and v1). Outside containers, the files are missing or
 * contain no limit.
 */
const CGROUP_LIMITS = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']

/**
 * Returns the memory in bytes that this process and its children can use: the smallest of the machine's memory and
 * the cgroup limits.
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
  // If there is no limit, libuv and cgroup v1 report 0 or a value larger than any machine's memory.
  return Math.min(total, ...[constrained, ...limits].filter((limit) => limit > 0))
}

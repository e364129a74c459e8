import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MB = 1024 ** 2
/** The embedded database needs 45 MB. */
const SIZE_MB = 260
const ATTEMPTS = 10

export interface SmallDisk {
  folder: string
  /** Fills the file system, except for some megabytes. */
  leave(megabytes: number): void
  free(): void
  unmount(): void
}

/** Mounts a file system of a few megabytes, for tests that declare `needs('mount')`. */
export function mountDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'parley-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')
  const free = () => rmSync(ballast, { force: true })
  return {
    folder,
    free,
    leave(megabytes) {
      free()
      // The server may take space between the look and the allocation, which then fails.
      for (let attempt = 1; ; attempt++)
        try {
          const { bavail, bsize } = statfsSync(folder)
          execFileSync('fallocate', ['--length', String(bavail * bsize - megabytes * MB), ballast])
          return
        } catch (error) {
          if (attempt === ATTEMPTS) throw error
        }
    },
    unmount() {
      execFileSync('umount', ['--lazy', folder])
      rmdirSync(folder)
    },
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The program that builds the console in a folder. */
export const BUILD_PROGRAM = join(import.meta.dirname, '../../console/build.ts')

export interface ConsoleFolder {
  folder: string
  write(files: Record<string, string | Buffer>): void
  remove(): void
}

/** Creates a temporary console folder with the given files, and a package-lock.json next to the folder. */
export function makeConsoleFolder(files: Record<string, string | Buffer> = {}): ConsoleFolder {
  const parent = mkdtempSync(join(tmpdir(), 'parley-console-'))
  const folder = join(parent, 'console')
  const write: ConsoleFolder['write'] = (added) => {
    for (const [path, content] of Object.entries(added)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
  }
  mkdirSync(folder)
  writeFileSync(join(parent, 'package-lock.json'), '{}')
  write(files)
  return { folder, write, remove: () => rmSync(parent, { recursive: true, force: true }) }
}

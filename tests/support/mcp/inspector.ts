import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { INSPECTOR_FOLDER, INSPECTOR_PACKAGES } from '#tests/clients/programs.ts'

/**
 * Runs the MCP inspector's CLI and returns its JSON output. The CLI's package expects the inspector's package.json
 * two folders above it. It therefore runs in a temporary folder with that layout.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
export async function inspect(...args: string[]): Promise<any> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-inspector-'))
  try {
    cpSync(join(INSPECTOR_FOLDER, 'build'), join(folder, 'cli/build'), { recursive: true })
    symlinkSync(join(INSPECTOR_FOLDER, 'node_modules'), join(folder, 'cli/node_modules'))
    symlinkSync(INSPECTOR_PACKAGES, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"name":"inspector","version":"1.0.3","type":"module"}')
    const program = join(folder, 'cli/build/index.js')
    return JSON.parse((await promisify(execFile)(process.execPath, [program, ...args])).stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

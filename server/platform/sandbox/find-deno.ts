import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { sentence } from '#errors'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/** The npm packages that contain Deno's binaries (optionalDependencies of `deno`). */
const PACKAGES: Record<string, string> = {
  'linux-x64': 'linux-x64-glibc',
  'linux-arm64': 'linux-arm64-glibc',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64',
  'win32-arm64': 'win32-arm64',
}
const PRLIMIT_PATHS = ['/usr/bin/prlimit', '/bin/prlimit']

export interface Runtimes {
  deno: string
  denoVersion: string
  /** Folder of the npm package. */
  pyodide: string
  pyodideVersion: string
  /** Path of `prlimit`. Null if it is not installed. Then only V8's heap limit bounds memory. */
  prlimit: string | null
}

/** Returns the programs that the sandbox needs. Throws SandboxUnavailable if they are not installed. */
export function findRuntimes(): Runtimes {
  try {
    const require = createRequire(import.meta.url)
    const fromDeno = createRequire(require.resolve('deno/package.json'))
    const binary = fromDeno.resolve(`@deno/${PACKAGES[`${process.platform}-${process.arch}`]}/package.json`)
    const pyodide = require.resolve('pyodide/package.json')
    return {
      deno: join(dirname(binary), process.platform === 'win32' ? 'deno.exe' : 'deno'),
      denoVersion: fromDeno('./package.json').version,
      pyodide: dirname(pyodide),
      pyodideVersion: require('pyodide/package.json').version,
      prlimit: PRLIMIT_PATHS.find((path) => existsSync(path)) ?? null,
    }
  } catch (error) {
    throw new SandboxUnavailable(sentence('sandbox.no_deno'), {
      cause: error,
    })
  }
}

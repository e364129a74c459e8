import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { sentence } from '#errors'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/** The packages that bring the binary of Deno (npm `deno`, optionalDependencies). */
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
  /** The folder of the package. */
  pyodide: string
  pyodideVersion: string
  /** Null where the system has none: then V8's own bound on its heap is the only one on memory. */
  prlimit: string | null
}

/** Where the programs are that a sandbox consists of. Throws SandboxUnavailable where they are not installed. */
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

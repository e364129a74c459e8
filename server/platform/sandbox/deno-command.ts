import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Runtimes } from './find-deno.ts'

/** Command lines of sandbox processes: permissions, limits and the modules that code may import. */

export type Runtime = 'javascript' | 'python'

export interface Start {
  runtime: Runtime
  runtimes: Runtimes
  /** Files and folders that the process may read before it runs tenant code. */
  reads: readonly string[]
  /** Command line arguments of the program. */
  parameters: readonly string[]
  /** True if the process makes copies of itself (inside/fork.ts). Each copy then limits its own processor time. */
  forks?: boolean
}

/**
 * Limit on writable memory, including memory that is only reserved. V8 alone reserves half a gigabyte for compiled
 * code.
 */
export const MEMORY_BYTES_MAX = 1_280 * 1024 * 1024
const HEAP_MEGABYTES = 256
/**
 * Limit on processor time across all threads. Ends an endless loop even if the server has died.
 * @limit processor time of a sandbox
 */
export const PROCESSOR_SECONDS_MAX = 90

const INSIDE = fileURLToPath(new URL('./inside/', import.meta.url))
export const PROGRAMS: Record<Runtime, string> = {
  javascript: join(INSIDE, 'run-javascript.ts'),
  python: join(INSIDE, 'run-python.ts'),
}
/** Python's package tzdata, because WebAssembly has no time zones of a system. Python imports it without unpacking it. */
export const TIME_ZONES = join(INSIDE, 'tzdata-2026.4-py2.py3-none-any.whl')
const FILES_INSIDE = [
  'run-javascript.ts',
  'run-python.ts',
  'fork.ts',
  'pipe.ts',
  'plain-value.ts',
  'strip-realm.ts',
  'read-parameters.ts',
]

/** Contains none of the server's environment variables, because some are secrets. */
export const environmentOf = (folder: string): Record<string, string> => ({
  DENO_DIR: folder,
  DENO_NO_PACKAGE_JSON: '1',
  DENO_NO_UPDATE_CHECK: '1',
  NO_COLOR: '1',
})

/** Returns the command line of the process. If `prlimit` is installed, it limits memory and processor time. */
export function commandOf({ runtime, runtimes, reads, parameters, forks = false }: Start): string[] {
  const { deno, prlimit } = runtimes
  const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, '--max-semi-space-size=8']
  // Python code does not need to evaluate JavaScript strings, and could otherwise do so through ctypes.
  if (runtime === 'python') flags.push('--disallow-code-generation-from-strings')
  // A copy of a process has one thread, which therefore also collects garbage and optimizes code.
  if (forks) flags.push('--single-threaded', '--wasm-sync-tier-up')
  const limits = [
    `--data=${MEMORY_BYTES_MAX}`,
    '--core=0',
    ...(forks ? [] : [`--cpu=${PROCESSOR_SECONDS_MAX}`]),
  ]
  return [
    ...(prlimit === null ? [] : [prlimit, ...limits, '--']),
    deno,
    'run',
    ...[
      '--no-prompt',
      '--no-remote',
      '--no-npm',
      '--no-config',
      '--no-lock',
      '--no-code-cache',
      '--no-check',
      '--quiet',
    ],
    `--v8-flags=${flags.join(',')}`,
    `--import-map=data:application/json,${encodeURIComponent(importMapOf(runtime, runtimes))}`,
    ...(reads.length === 0 ? [] : [`--allow-read=${reads.join(',')}`]),
    ...(forks ? ['--allow-ffi'] : []),
    PROGRAMS[runtime],
    ...parameters,
  ]
}

const REFUSED = `data:text/javascript,${encodeURIComponent("throw new Error('The sandbox cannot import modules. Put all code into the tool.')")}`

/**
 * Returns an import map that blocks Node's built-in modules and all files except the sandbox's own. Pyodide needs
 * some Node modules, so they stay allowed for Python, whose code cannot import them.
 */
function importMapOf(runtime: Runtime, { pyodide }: Runtimes): string {
  const names = runtime === 'python' ? [] : builtinModules.flatMap(spellingsOf)
  const own = FILES_INSIDE.map((name) => pathToFileURL(join(INSIDE, name)).href)
  const folder = pathToFileURL(`${pyodide}/`).href
  return JSON.stringify({
    imports: {
      ...Object.fromEntries(names.map((name) => [name, REFUSED])),
      // Imports with this prefix always fail, because no path resolves against a data: URL.
      'file:///': `${REFUSED}//`,
      ...Object.fromEntries(own.map((address) => [address, address])),
      [folder]: folder,
    },
  })
}

const spellingsOf = (name: string): string[] => (name.startsWith('node:') ? [name] : [name, `node:${name}`])

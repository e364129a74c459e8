import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findRuntimes } from '#platform/sandbox/find-deno.ts'
import { type Check, type Finding, ok, problem, reasonOf, warning } from './check.ts'

const NODE_MAJOR = 24
/** The flags with which server/launch.cjs starts the server. */
const FLAGS = ['--max-semi-space-size', '--heap-growing-percent', '--wasm-tiering-budget']

export const runtimeCheck: Check = {
  name: 'node',
  async run() {
    const { node } = process.versions
    if (Number.parseInt(node, 10) < NODE_MAJOR)
      return [problem(`Node ${node} is too old. Install Node ${NODE_MAJOR}.`)]
    const missing = FLAGS.filter((flag) => !process.execArgv.some((given) => given.startsWith(flag)))
    if (missing.length === 0) return [ok(`Node ${node}, with the flags that limit memory`)]
    return [
      warning(
        `Node ${node} runs without ${missing.join(', ')}, so it uses more memory. Start with npm start or parley.`,
      ),
    ]
  },
}

/** The runtimes of tools' code. */
export const sandboxCheck: Check = {
  name: 'sandbox',
  async run(_surroundings, signal) {
    let runtimes: ReturnType<typeof findRuntimes>
    try {
      runtimes = findRuntimes()
    } catch (error) {
      return [problem((error as Error).message)]
    }
    const { deno, denoVersion, pyodideVersion, prlimit } = runtimes
    const findings: Finding[] = []
    try {
      await promisify(execFile)(deno, ['--version'], { signal })
      findings.push(ok(`Deno ${denoVersion} and Pyodide ${pyodideVersion}`))
    } catch (error) {
      findings.push(
        problem(`Deno ${denoVersion} does not start: ${reasonOf(error)}. Run npm ci again on this machine.`),
      )
    }
    if (process.platform === 'linux' && prlimit === null)
      findings.push(warning('prlimit is missing, so only V8 limits the memory of tools. Install util-linux.'))
    return findings
  },
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from './client.ts'
import { findFreePort } from './free-port.ts'
import { shareSnapshot } from './sandbox.ts'

const CLI = join(import.meta.dirname, '../../server/launch.cjs')
/** A script that runs a server with a grace period of half a second for streams. */
export const SHORT_GRACE = join(import.meta.dirname, 'short-grace-process.ts')
const START_TIMEOUT_MS = 120_000
/** Disables rate limits. Tests send more requests than users do. Only the tests of rate limits keep them. */
export const UNLIMITED = { RATE_LIMIT_IP_PER_MINUTE: '0', RATE_LIMIT_USER_PER_HOUR: '0' }
/** Disables building the console. Only the tests of that build keep it. */
export const UNBUILT = { CONSOLE_BUILD: '0' }

/** Scripts that don't use the launcher also keep their compiled modules, as its processes do. */
const INHERITED = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(tmpdir(), 'parley-compiled'),
}

export interface ServerProcess extends Client {
  pid: number
  output(): string
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended: Promise<number | string>
  /** Kills the process without cleanup, as a power failure would. */
  kill(): Promise<void>
  /** Stops the process gracefully, as an operator would. Returns the exit code or the signal. */
  stop(): Promise<number | string>
}

/** Runs a server in a separate process, through `parley start` or through another script. */
export async function startProcess(
  environment: Record<string, string>,
  script: readonly string[] = [CLI, 'start'],
): Promise<ServerProcess> {
  const port = Number(environment['PORT'] ?? (await findFreePort()))
  if (environment['DATA_DIR']) shareSnapshot(environment['DATA_DIR'])
  const complete = { ...environment, PORT: String(port) }
  const child = run(script, complete)
  const client = createClient(`http://127.0.0.1:${port}`)
  await waitUntilReady(client, child)
  return {
    ...client,
    pid: child.process.pid as number,
    output: child.output,
    ended: child.ended,
    async kill() {
      child.process.kill('SIGKILL')
      await child.ended
    },
    stop() {
      child.process.kill('SIGTERM')
      return child.ended
    },
  }
}

interface CliRun {
  process: ChildProcess
  output(): string
  ended: Promise<number | string>
}

/** Runs a CLI command, with rate limits disabled. Its environment contains PATH and the given variables only. */
export const runCli = (args: string[], environment: Record<string, string>, cwd?: string): CliRun =>
  run([CLI, ...args], environment, cwd)

function run(args: readonly string[], environment: Record<string, string>, cwd?: string): CliRun {
  const child = spawn(process.execPath, args, {
    env: { ...INHERITED, ...UNLIMITED, ...UNBUILT, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return { process: child, output: () => output, ended }
}

async function waitUntilReady(client: Client, child: CliRun): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.process.exitCode === null) {
    const ready = await client.call('GET', '/readyz').catch(() => undefined)
    if (ready?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  child.process.kill('SIGKILL')
  throw new Error(`the server does not start:\n${child.output()}`)
}

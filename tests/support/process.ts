import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Client, createClient } from './client.ts'
import { findFreePort } from './free-port.ts'

const CLI = join(import.meta.dirname, '../../server/cli.ts')
const START_TIMEOUT_MS = 120_000
/** Tests ask more often than people may, but those of the limits. */
export const UNLIMITED = { RATE_LIMIT_IP_PER_MINUTE: '0', RATE_LIMIT_USER_PER_HOUR: '0' }
/** A server that is started for a test builds no console, but for the tests of just that. */
export const UNBUILT = { CONSOLE_BUILD: '0' }

export interface ServerProcess extends Client {
  pid: number
  /** Everything that it has printed. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>
  /** As a power cut or the kernel would: no chance to tidy up. */
  kill(): Promise<void>
  /** As an operator would. */
  stop(): Promise<number | string>
}

/** A server in a process of its own, as `parley start` starts it, or as another script with its arguments does. */
export async function startProcess(
  environment: Record<string, string>,
  script: readonly string[] = [CLI, 'start'],
): Promise<ServerProcess> {
  const port = Number(environment['PORT'] ?? (await findFreePort()))
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

/** Runs a command of the command line, without limits, with nothing of this process's environment but the path. */
export const runCli = (args: string[], environment: Record<string, string>, cwd?: string): CliRun =>
  run([CLI, ...args], environment, cwd)

function run(args: readonly string[], environment: Record<string, string>, cwd?: string): CliRun {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...UNLIMITED, ...UNBUILT, ...environment },
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

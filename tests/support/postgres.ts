import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { findFreePort } from './free-port.ts'

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 25

/**
 * Settings for test databases. The databases are discarded after the run, so PostgreSQL need not flush, replicate or
 * vacuum.
 */
const TEST_SETTINGS: Settings = {
  jit: 'off',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  shared_buffers: '256MB',
  // Each test worker has several servers with up to four connections each.
  max_connections: '500',
}

/** Values of postgresql.conf by setting. */
export type Settings = Record<string, string>

export interface PostgresServer {
  /** Returns the URL of a database on this server, including the administrator's password. */
  url(database: string): string
  /** Creates a database. With `template`, copies that database. */
  createDatabase(name: string, template?: string): Promise<void>
  /** The process id of the server's main process, the parent of all its other processes. */
  readonly pid: number
  stop(): Promise<void>
  /** Starts the server again after `stop`, on the same port and data. */
  start(): Promise<void>
}

export interface PostgresOptions {
  /** The data folder. The server keeps its files in the subfolder `cluster`. */
  dataDir: string
  /** The port to listen on. By default, any free port. */
  port?: number
  /** Replaces the settings for test databases. `jit` stays off in any case. */
  settings?: Settings
}

/**
 * Returns the folder of PostgreSQL's programs, or undefined if it isn't installed. Looks in PARLEY_TEST_POSTGRES, or
 * by default in .cache/postgres (scripts/get-postgres.sh).
 */
export function findPostgres(): string | undefined {
  const root = process.env['PARLEY_TEST_POSTGRES'] ?? join(import.meta.dirname, '../../.cache/postgres')
  const folders = ['.', 'bin', ...globSync('usr/lib/postgresql/*/bin', { cwd: root })]
  return folders
    .map((folder) => resolve(root, folder))
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
}

/**
 * Creates a PostgreSQL cluster and starts it on loopback. Throws if no PostgreSQL is installed, or with the log if
 * the start fails.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('no PostgreSQL: run scripts/get-postgres.sh .cache/postgres')
  const cluster = join(resolve(options.dataDir), 'cluster')
  const logFile = join(resolve(options.dataDir), 'postgres.log')
  const password = randomBytes(16).toString('hex')
  const port = options.port ?? (await findFreePort())

  createCluster(programs, cluster, password)
  const settings = { jit: 'off', ...(options.settings ?? TEST_SETTINGS) }
  const url = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  let child: ChildProcess
  const killChild = (): void => void child.kill('SIGQUIT')
  async function start(): Promise<void> {
    child = startServer(programs as string, cluster, logFile, { ...settings, port: String(port) })
    process.once('exit', killChild)
    await waitUntilReady(url('postgres'), child, logFile)
  }
  await start()
  return {
    url,
    get pid() {
      return child.pid as number
    },
    start,
    createDatabase: (name, template) =>
      execute(
        url('postgres'),
        `create database "${name}"${template ? ` template "${template}" strategy file_copy` : ''}`,
      ),
    async stop() {
      process.off('exit', killChild)
      await stopServer(child)
    },
  }
}

function createCluster(programs: string, cluster: string, password: string): void {
  mkdirSync(cluster, { recursive: true, mode: 0o700 })
  const passwordFile = join(cluster, '..', 'postgres.password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  const account = unprivilegedAccount()
  if (account) chownSync(cluster, account.userId, account.groupId)
  // The password is random, so more than one SCRAM iteration adds no security. Each iteration costs CPU time in
  // thousands of connections.
  const options = [
    ...['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    '--set=scram_iterations=1',
  ]
  const [command, parameters] = asUnprivileged(join(programs, 'initdb'), [
    ...[`--pgdata=${cluster}`, '--encoding=UTF8', '--no-locale', '--no-sync', '--no-instructions'],
    ...options,
  ])
  execFileSync(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' })
}

function startServer(programs: string, cluster: string, logFile: string, settings: Settings): ChildProcess {
  const complete = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
  const [command, parameters] = asUnprivileged(join(programs, 'postgres'), [
    ...['-D', cluster],
    ...Object.entries(complete).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const log = openSync(logFile, 'a')
  return spawn(command, parameters, { stdio: ['ignore', log, log], cwd: '/' })
}

/**
 * Returns the account `nobody` if this process runs as root, or else undefined. PostgreSQL refuses to run as root,
 * which is common in CI and containers.
 */
function unprivilegedAccount(): { userId: number; groupId: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, , userId, groupId] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { userId: Number(userId ?? 65_534), groupId: Number(groupId ?? 65_534) }
}

/**
 * Returns the command that runs a program as an unprivileged account, if this process runs as root. The command keeps
 * the capability to bypass folder permissions, because other accounts often cannot read root's checkout or temporary
 * folder. A secure bit makes access(2) respect the capability, which initdb needs to find its server program.
 */
function asUnprivileged(program: string, parameters: string[]): [command: string, parameters: string[]] {
  const account = unprivilegedAccount()
  if (account === undefined) return [program, parameters]
  const identity = [`--reuid=${account.userId}`, `--regid=${account.groupId}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup']
  return ['setpriv', [...identity, ...rights, program, ...parameters]]
}

async function waitUntilReady(url: string, child: ChildProcess, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      return await execute(url, 'select 1')
    } catch (error) {
      const stopped = child.exitCode !== null || child.signalCode !== null
      if (stopped || Date.now() > deadline) {
        child.kill('SIGQUIT')
        throw new Error(`PostgreSQL does not start:\n${readFileSync(logFile, 'utf8')}`, { cause: error })
      }
    }
    await sleep(POLL_INTERVAL_MS)
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, backoff: false, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** Stops the server and closes all connections. If the server hangs, kills it without a final checkpoint. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

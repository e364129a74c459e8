import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { findFreePort } from './free-port.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 20_000
const POLL_INTERVAL_MS = 25

/** Test databases are discarded, so nothing has to be flushed to disk, replicated or vacuumed. */
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
  // Each worker has several servers with four connections each.
  max_connections: '500',
}

/** Settings of postgresql.conf by name. */
export type Settings = Record<string, string>

export interface PostgresServer {
  /** The URL of a database of this server, with the administrator's password. */
  url(database: string): string
  /** Creates a database, as a copy of `template` if given. */
  createDatabase(name: string, template?: string): Promise<void>
  /** The main process of the server; all its other processes are children of it. */
  pid: number
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** A folder. The server keeps its files in the subfolder `cluster`. */
  dataDir: string
  /** Default: any free port. */
  port?: number
  /** Replaces the settings for tests, except `jit = off`. */
  settings?: Settings
}

/**
 * Returns the folder of PostgreSQL's programs: in PARLEY_TEST_POSTGRES if set, otherwise in .cache/postgres
 * (scripts/get-postgres.sh). Returns undefined if there is none.
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
  const child = startServer(programs, cluster, logFile, { ...settings, port: String(port) })
  const killChild = (): void => void child.kill('SIGQUIT')
  process.once('exit', killChild)

  const url = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  await waitUntilReady(url('postgres'), child, logFile)
  return {
    url,
    pid: child.pid as number,
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
  // Thousands of connections authenticate with a random password: more than one iteration only costs CPU time.
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
 * PostgreSQL refuses to run as root, which CI and containers often use; in that case it runs as the account
 * `nobody`.
 */
function unprivilegedAccount(): { userId: number; groupId: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, , userId, groupId] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { userId: Number(userId ?? 65_534), groupId: Number(groupId ?? 65_534) }
}

/**
 * Returns the command that runs a program without root. It keeps one capability, to bypass the permissions of
 * folders, because root's checkout or temporary folder is often closed to other accounts. The secure bit makes
 * access(2) respect that capability too; initdb uses it to find its server.
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

/** Ends all connections and the server. A server that hangs is killed without its last checkpoint. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

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

/** Nothing survives the tests, so nothing has to reach the disk, be replicated or be vacuumed. */
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
  // Each worker has several servers, each with four connections.
  max_connections: '500',
}

/** Settings of postgresql.conf by name. */
export type Settings = Record<string, string>

export interface PostgresServer {
  /** Where a database of this server is reached, with the administrator's password. */
  url(database: string): string
  /** Creates a database, as a copy of another one where a template is named. */
  createDatabase(name: string, template?: string): Promise<void>
  /** The first process of the server; all its others are children of it. */
  pid: number
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** A folder; the server keeps its files in `cluster` inside it. */
  dataDir: string
  /** Default: any free one. */
  port?: number
  /** Instead of the settings for tests, of which only `jit = off` stays. */
  settings?: Settings
}

/**
 * The folder with the programs of a PostgreSQL: the one in the folder that PARLEY_TEST_POSTGRES names, else the one
 * that scripts/get-postgres.sh put into .cache/postgres, else undefined.
 */
export function findPostgres(): string | undefined {
  const root = process.env['PARLEY_TEST_POSTGRES'] ?? join(import.meta.dirname, '../../.cache/postgres')
  const folders = ['.', 'bin', ...globSync('usr/lib/postgresql/*/bin', { cwd: root })]
  return folders
    .map((folder) => resolve(root, folder))
    .find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')))
}

/** Makes a new PostgreSQL cluster and starts it on loopback. Throws where there is none, and what its log says. */
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
  // Thousands of connections sign in, and the password is random: more than one iteration only costs CPU time.
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

/** PostgreSQL refuses to run as root, as CI and containers often do; then it runs as the system's `nobody`. */
function unprivilegedAccount(): { userId: number; groupId: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, , userId, groupId] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { userId: Number(userId ?? 65_534), groupId: Number(groupId ?? 65_534) }
}

/**
 * The command that runs a program as somebody who is not root. It keeps one right of root's, to go past the
 * permissions of folders, since a checkout or a temporary folder of root's is often closed to everybody else; the
 * secure bit lets that right hold for access(2) too, with which initdb looks for its server.
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

/** Ends every connection and the server with it; a server that hangs is ended without its last checkpoint. */
async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

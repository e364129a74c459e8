import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { findFreePort } from './free-port.ts'
import { findPostgres } from './postgres.ts'

const START_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 25

/** Returns the path of `pgbouncer` beside PostgreSQL (scripts/get-postgres.sh), or undefined if it isn't there. */
export function findPgBouncer(): string | undefined {
  const program = join(findPostgres() ?? '', 'pgbouncer')
  return existsSync(program) ? program : undefined
}

/** Starts a PgBouncer in transaction mode in front of a database. `url` is the database's address through it. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: { timeout?: boolean } = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const program = findPgBouncer()
  if (program === undefined) throw new Error('no PgBouncer: run scripts/get-postgres.sh .cache/postgres')
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const port = await findFreePort()
  const folder = mkdtempSync(join(tmpdir(), 'parley-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const target = `host=${hostname} port=${serverPort} user=${username} password=${password}`
  const limit = settings.timeout ? ` connect_query='set statement_timeout = 30000'` : ''
  writeFileSync(
    file,
    [
      ...[
        '[databases]',
        `${pathname.slice(1)} = ${target}${limit}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
      ],
      ...[`listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any', 'pool_mode = transaction'],
      ...['default_pool_size = 8', 'max_client_conn = 200', 'max_prepared_statements = 200'],
    ].join('\n'),
  )
  // PgBouncer refuses to run as root, and the other account must read its file.
  for (const path of [folder, file]) chmodSync(path, 0o755)
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...account, '-q', file], { stdio: 'ignore', cwd: '/' })
  const killChild = (): void => void child.kill('SIGKILL')
  process.once('exit', killChild)
  const url = `postgres://any@127.0.0.1:${port}${pathname}`
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      killChild()
      throw new Error('pgbouncer does not start')
    }
    await sleep(POLL_INTERVAL_MS)
  }
  return {
    url,
    async stop() {
      process.off('exit', killChild)
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, backoff: false, onnotice: () => {} })
  try {
    await sql`select`
    return true
  } catch {
    return false
  } finally {
    await sql.end()
  }
}

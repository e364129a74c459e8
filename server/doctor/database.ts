import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Row, RowList, Sql } from 'postgres'
import type { Config } from '#config'
import { CONNECTIONS_MAX, openUnmigrated } from '#database/connect.ts'
import { DATABASE_FOLDER, DataDirLockedError, lockDataDir, RESTORE_MARKER } from '#database/embedded.ts'
import { readSchemaState } from '#database/schema-state.ts'
import { explainOtherSecret, knowsSecret } from '#platform/secrets/known-secret.ts'
import { loadSecrets } from '#platform/secrets/secrets.ts'
import { localUrlOf } from './address.ts'
import { type Check, type Finding, ok, problem, reasonOf, type Surroundings, warning } from './check.ts'

const VERSION_MIN = 15
export const CONNECT_TIMEOUT_SECONDS = 4

/** PostgreSQL or the embedded database: reachable, recent, migrated, and with enough connections. */
export const databaseCheck: Check = {
  name: 'database',
  run: (surroundings, signal) =>
    surroundings.config.databaseUrl === null
      ? checkEmbedded(surroundings, signal)
      : checkServer(surroundings.config, surroundings.config.databaseUrl),
}

async function checkServer(config: Config, url: string): Promise<Finding[]> {
  const sql = openUnmigrated(null, url, { connectTimeoutSeconds: CONNECT_TIMEOUT_SECONDS })
  try {
    const connected = await sql<{ version: number; pid: number }[]>`
      select coalesce(current_setting('server_version_num')::int, 0) as version, pg_backend_pid() as pid`
    const version = Math.floor((connected[0]?.version ?? 0) / 10_000)
    if (version < VERSION_MIN)
      return [problem(`PostgreSQL ${version} is too old. Upgrade to PostgreSQL ${VERSION_MIN} or later.`)]
    return [
      ok(`PostgreSQL ${version}`),
      await checkVector(sql),
      await checkMigrations(sql),
      ...(await checkSecret(sql, config)),
      await checkConnections(sql),
      checkPooler(connected),
    ]
  } catch (error) {
    return [problem(explainConnection(error))]
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const CONNECTION_ERRORS = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  '28000',
  '28P01',
  '3D000',
  '53300',
  '57P03',
]

/** Returns whether an error of the driver says that no connection to PostgreSQL could be opened. */
export const isConnectionError = (error: unknown): boolean =>
  CONNECTION_ERRORS.includes((error as NodeJS.ErrnoException | null)?.code ?? '')

/** Returns what to do about a failed connection. The error never contains the password. */
export function explainConnection(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  switch (code) {
    case '28P01':
    case '28000':
      return `PostgreSQL rejected the user or password: ${reasonOf(error)}. Check DATABASE_URL.`
    case '3D000':
      return `${reasonOf(error)}. Create the database, or check DATABASE_URL.`
    case '53300':
      return `PostgreSQL has no free connection: ${reasonOf(error)}. Raise max_connections, or run fewer processes.`
    default:
      return `PostgreSQL cannot be reached: ${reasonOf(error)}. Check that it runs, and the host and port in DATABASE_URL.`
  }
}

async function checkVector(sql: Sql): Promise<Finding> {
  const [vector] = await sql<{ installed: string | null; available: string | null }[]>`
    select installed_version as installed, default_version as available
    from pg_available_extensions where name = 'vector'`
  if (vector?.installed) return ok(`pgvector ${vector.installed}`)
  if (!vector)
    return problem('pgvector is not installed on this server. Install the package postgresql-…-pgvector.')
  return warning(
    `pgvector ${vector.available} is available, but not created. The first start creates it, if the user may.`,
  )
}

async function checkMigrations(sql: Sql): Promise<Finding> {
  const { applied, missing, isNewer } = await readSchemaState(sql)
  if (isNewer)
    return warning(
      'The database has migrations of a newer version. Upgrade this program, or see docs/releases.md before you go back.',
    )
  if (applied.length === 0) return warning('The database is empty. The first start creates the tables.')
  if (missing > 0)
    return warning(`${missing} migrations are missing. The next start applies them, or run parley migrate.`)
  return ok(`All ${applied.length} migrations are applied`)
}

/** An empty database, and one of an earlier release, belongs to no secret yet. */
async function checkSecret(sql: Sql, config: Config): Promise<Finding[]> {
  const [claimed] = await sql<{ exists: boolean }[]>`
    select to_regclass('installation_secret') is not null as exists`
  if (!claimed?.exists) return []
  const isKnown = await knowsSecret(sql, loadSecrets(config))
  return [isKnown ? ok('SECRET is the one of this database') : problem(explainOtherSecret(config))]
}

async function checkConnections(sql: Sql): Promise<Finding> {
  const [budget] = await sql<{ max: number; used: number }[]>`
    select coalesce(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int, 0) as max,
      (select coalesce(sum(numbackends), 0)::int from pg_stat_database) as used`
  const { max = 0, used = 0 } = budget ?? {}
  const text = `${used} of ${max} connections are in use, and each process uses up to ${CONNECTIONS_MAX}`
  if (max < CONNECTIONS_MAX) return problem(`${text}. Raise max_connections.`)
  return max - used < CONNECTIONS_MAX
    ? warning(`${text}. Raise max_connections before you add a process.`)
    : ok(text)
}

/** A pooler sends a process id of its own when the client connects. */
function checkPooler(connected: RowList<Row[]>): Finding {
  const { pid } = (connected as unknown as { state: { pid: number } }).state
  return pid === connected[0]?.['pid']
    ? ok('No connection pooler stands between')
    : warning(
        'A connection pooler stands between. Use its session mode, because migrations hold a lock of their session.',
      )
}

/**
 * Asks the server that uses the embedded database. If no server does, only looks at the folder: opening the database
 * would change its files, and the next start brings them up to date.
 */
async function checkEmbedded(surroundings: Surroundings, signal: AbortSignal): Promise<Finding[]> {
  const { dataDir } = surroundings.config
  if (!existsSync(join(dataDir, DATABASE_FOLDER)))
    return [ok('Embedded; the first start creates the database in DATA_DIR')]
  try {
    lockDataDir(dataDir)()
  } catch (error) {
    if (error instanceof DataDirLockedError) return [await askServer(surroundings, signal)]
    throw error
  }
  if (existsSync(join(dataDir, RESTORE_MARKER)))
    return [problem(`A restore into ${dataDir} was interrupted. Run parley restore FILE --force again.`)]
  return [ok('Embedded; no server uses it now')]
}

async function askServer({ config, net }: Surroundings, signal: AbortSignal): Promise<Finding> {
  const url = localUrlOf(config)
  try {
    const { statusCode, body } = await net.open.request({
      origin: url,
      path: '/readyz',
      method: 'GET',
      signal,
    })
    await body.dump()
    if (statusCode === 200) return ok(`Embedded; the server at ${url} uses it and is ready`)
    return problem(`Embedded; the server at ${url} is not ready (status ${statusCode}). Read its log.`)
  } catch (error) {
    return problem(
      `A process uses DATA_DIR, but no server answers at ${url}: ${reasonOf(error)}. Run doctor with the server's PORT and HOST, or wait until it has started.`,
    )
  }
}

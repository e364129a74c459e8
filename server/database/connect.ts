import postgres from 'postgres'
import { ambientSql } from './ambient.ts'
import { drizzle, migrate, type PostgresJsDatabase } from './drizzle.ts'
import { EMBEDDED_START_MS_MAX, type EmbeddedDatabase, startEmbedded } from './embedded.ts'
import { parseExactJson } from './exact-json.ts'
import { embeddedPool, type Pool, watchedPool } from './pool.ts'
import { MIGRATIONS } from './schema-state.ts'
import { type StatementsOpen, type StatementWatch, watchStatements } from './watched.ts'

declare const ofSystem: unique symbol

/** Runs statements across all tenants. Parts may use it only in files named `*-system.ts` (system-sql.ts). */
export type SystemSql = postgres.Sql & { readonly [ofSystem]?: true }
export type SystemTransaction = postgres.TransactionSql
/** Accepts a SystemSql or a SystemTransaction. */
export type SystemStatements = postgres.ISql

/** The database handle that parts receive. Parts send statements through a Scope's `sql` or through system-sql.ts. */
export interface Database {
  /** True for the embedded database, which has one connection and a data folder that only this process uses. */
  embedded: boolean
  /** False if a connection pooler refuses to limit the time of statements, and its operator has not done so. */
  limitsStatements: boolean
  /** Returns the number of statements in progress. */
  statementsOpen(): StatementsOpen
  /** Returns the number of statements so far, without those that only look for work (looks.ts). */
  statementsSent(): number
  /**
   * Announces that this process is about to close the database. A process that starts on the same data folder then
   * waits until the database is closed.
   */
  announceClose(): void
  close(): Promise<void>
}

/** The database handle of the platform code, with direct access to statements. */
export interface OpenDatabase extends Database {
  /** Runs handwritten statements, which join an ambient transaction (ambient.ts). */
  sql: SystemSql
  db: PostgresJsDatabase
}

/** Default of the maximum number of connections to PostgreSQL per process. */
export const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_SECONDS = 10
const STATEMENT_TIMEOUT_MS = 30_000
/** SQLSTATE with which PgBouncer refuses a startup parameter that it cannot pass on. */
const PROTOCOL_VIOLATION = '08P01'
/** Migrations may have to rewrite large tables, so their limit is an hour. */
const MIGRATIONS_STEP = ['the migrations of the database', 3_600_000] as const
/**
 * Key of the advisory lock that a process holds while it migrates. An arbitrary number, the same in every process.
 */
const MIGRATION_LOCK = 7_265_539

/**
 * Opens the database and migrates its schema. Uses PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`
 * if `databaseUrl` is null. Processes that start at the same time migrate one after another. `databaseUrl` may lead to a
 * PgBouncer in transaction mode, so nothing may rely on the state of a session outside a transaction.
 */
export async function connectDatabase(options: {
  databaseUrl: string | null
  /** The URL of the same PostgreSQL without a pooler, for migrations. By default, they use `databaseUrl`. */
  databaseDirectUrl?: string | null
  dataDir: string
  /** An embedded database that the caller is already starting. */
  starting?: Promise<EmbeddedDatabase> | undefined
  /** Receives the begin and the end of each statement. */
  watch?: StatementWatch | null
  /** Maximum number of connections to PostgreSQL. The default is 10. */
  connectionsMax?: number | undefined
  /** Receives a line if the embedded database is stuck. By default, the line goes to the standard error. */
  report?: (line: string) => void
  /** Receives what the caller waits for from now on, and the longest time until the next call (start-watch.ts). */
  announce?: (waitingFor: string, limitMs?: number) => void
}): Promise<OpenDatabase> {
  const { announce = () => {} } = options
  announce('the database', options.databaseUrl === null ? EMBEDDED_START_MS_MAX : undefined)
  const embedded =
    options.databaseUrl === null ? await (options.starting ?? startEmbedded(options.dataDir)) : null
  if (embedded) {
    const open = () => postgres({ ...embeddedAddress(embedded.socketPath), ...DRIVER_OPTIONS, max: 1 })
    try {
      announce(...MIGRATIONS_STEP)
      await migrateAndEnd(open())
    } catch (error) {
      await embedded.stop()
      throw error
    }
    const { report = (line) => process.stderr.write(`${line}\n`) } = options
    return wrap(embeddedPool(open(), report), embedded, true, options.watch)
  }
  const url = options.databaseUrl ?? ''
  announce(...MIGRATIONS_STEP)
  await migrateUnderLock(options.databaseDirectUrl ?? url)
  announce('the database')
  const connection = (await takesParameters(url)) ? PARAMETERS : {}
  const sql = postgres(url, { ...DRIVER_OPTIONS, max: options.connectionsMax ?? CONNECTIONS_MAX, connection })
  const limits = await limitsStatements(sql)
  // This statement's connection has read the types of arrays for all connections. If one broke while it reads them
  // again, the driver would end the process with an unhandled rejection. From here on, the driver's `reserve` must not
  // be used: without these types, it waits forever for a new connection.
  sql.options.fetch_types = false
  return wrap(watchedPool(sql), null, limits, options.watch)
}

function wrap(
  pool: Pool,
  embedded: EmbeddedDatabase | null,
  limitsStatements: boolean,
  watch: StatementWatch | null = null,
): OpenDatabase {
  const { sql: watched, open: statementsOpen, sent: statementsSent } = watchStatements(pool, watch)
  const sql = ambientSql(watched)
  return {
    sql,
    db: drizzle(sql),
    embedded: embedded !== null,
    limitsStatements,
    statementsOpen,
    statementsSent,
    announceClose: () => embedded?.announceStop(),
    async close() {
      await pool.close()
      await embedded?.stop()
    },
  }
}

/** No parallel workers: to start them takes longer than they save, and concurrent statements use the other cores. */
const PARAMETERS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  application_name: 'parley',
  max_parallel_workers_per_gather: 0,
}

/**
 * Opens one connection without migrating, to inspect a database. `embedded` is a running embedded database, or null for
 * `databaseUrl`.
 */
export const openUnmigrated = (
  embedded: EmbeddedDatabase | null,
  databaseUrl: string,
  options: { connectTimeoutSeconds?: number } = {},
): postgres.Sql => {
  const { connectTimeoutSeconds = CONNECT_TIMEOUT_SECONDS } = options
  const driver = { ...DRIVER_OPTIONS, connect_timeout: connectTimeoutSeconds, max: 1 }
  return embedded
    ? postgres({ ...embeddedAddress(embedded.socketPath), ...driver })
    : postgres(databaseUrl, { ...driver, connection: { application_name: 'parley' } })
}

/** Pause before a lost connection is opened again. The driver's default grows to 20 seconds, which requests would wait. */
const RECONNECT_SECONDS = 0.1
/**
 * No limit: a transaction whose BEGIN is the statement that reaches a limit never gets its connection, and the driver
 * ends the process (porsager/postgres#1218). A BEGIN that also fills the socket's buffer still would, which needs a packet
 * of nearly 1,024 bytes in the same tick.
 */
const PIPELINE_MAX = Number.MAX_SAFE_INTEGER
/** Object identifiers of PostgreSQL's types json and jsonb. */
const [JSON_TYPE, JSONB_TYPE] = [114, 3802]
const DRIVER_OPTIONS = {
  // PostgreSQL keeps all digits of numbers in JSON. The driver's own parser would round them.
  types: {
    json: {
      to: JSON_TYPE,
      from: [JSON_TYPE, JSONB_TYPE],
      serialize: (value: unknown) => JSON.stringify(value),
      parse: parseExactJson,
    },
  },
  max_pipeline: PIPELINE_MAX,
  connect_timeout: CONNECT_TIMEOUT_SECONDS,
  backoff: () => RECONNECT_SECONDS,
  onnotice: () => {},
}

const embeddedAddress = (socketPath: string) => ({
  path: socketPath,
  username: 'postgres',
  database: 'postgres',
})

/**
 * Migrates while another connection holds a lock. The lock belongs to a transaction, because a pooler may give each
 * transaction of a session another connection.
 */
async function migrateUnderLock(url: string): Promise<void> {
  const open = () => postgres(url, { ...DRIVER_OPTIONS, max: 1 })
  const locking = open()
  try {
    await locking.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
      await migrateAndEnd(open())
    })
  } finally {
    await locking.end({ timeout: 5 })
  }
}

async function migrateAndEnd(sql: postgres.Sql): Promise<void> {
  try {
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Returns whether connections may set PARAMETERS when they open. PgBouncer refuses the timeout by default. */
async function takesParameters(url: string): Promise<boolean> {
  const sql = postgres(url, { ...DRIVER_OPTIONS, max: 1, connection: PARAMETERS })
  try {
    await sql`select`
    return true
  } catch (error) {
    if ((error as { code?: string }).code === PROTOCOL_VIOLATION) return false
    throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function limitsStatements(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ setting: string }[]>`
    select coalesce(current_setting('statement_timeout'), '0') as setting`
  return row?.setting !== '0'
}

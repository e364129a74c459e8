import postgres from 'postgres'
import { ambientSql } from './ambient.ts'
import { drizzle, migrate, type PostgresJsDatabase } from './drizzle.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'
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
  /** Returns the number of statements in progress. */
  statementsOpen(): StatementsOpen
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
/**
 * Key of the advisory lock that a process holds while it migrates. An arbitrary number, the same in every process.
 */
const MIGRATION_LOCK = 7_265_539

/**
 * Opens the database and migrates its schema. Uses PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`
 * if `databaseUrl` is null. Processes that start at the same time migrate one after another.
 */
export async function connectDatabase(options: {
  databaseUrl: string | null
  dataDir: string
  /** An embedded database that the caller is already starting. */
  starting?: Promise<EmbeddedDatabase> | undefined
  /** Receives the begin and the end of each statement. */
  watch?: StatementWatch | null
  /** Maximum number of connections to PostgreSQL. The default is 10. */
  connectionsMax?: number | undefined
}): Promise<OpenDatabase> {
  const embedded =
    options.databaseUrl === null ? await (options.starting ?? startEmbedded(options.dataDir)) : null
  const open = (max: number) =>
    embedded
      ? postgres({ ...embeddedAddress(embedded.socketPath), ...DRIVER_OPTIONS, max: 1 })
      : postgres(options.databaseUrl ?? '', {
          ...DRIVER_OPTIONS,
          max,
          connection: { statement_timeout: STATEMENT_TIMEOUT_MS, application_name: 'parley' },
        })
  try {
    await migrateUnderLock(open(1))
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const { sql: watched, open: statementsOpen } = watchStatements(
    open(options.connectionsMax ?? CONNECTIONS_MAX),
    options.watch ?? null,
  )
  const sql = ambientSql(watched)
  return {
    sql,
    db: drizzle(sql),
    embedded: embedded !== null,
    statementsOpen,
    announceClose: () => embedded?.announceStop(),
    async close() {
      await sql.end({ timeout: 5 })
      await embedded?.stop()
    },
  }
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

const DRIVER_OPTIONS = { connect_timeout: CONNECT_TIMEOUT_SECONDS, onnotice: () => {} } as const

const embeddedAddress = (socketPath: string) => ({
  path: socketPath,
  username: 'postgres',
  database: 'postgres',
})

async function migrateUnderLock(sql: postgres.Sql): Promise<void> {
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { ambientSql } from './ambient.ts'
import { drizzle, migrate, type PostgresJsDatabase } from './drizzle.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'
import { type StatementsOpen, type StatementWatch, watchStatements } from './watched.ts'

declare const ofSystem: unique symbol

/** Statements across all tenants. Parts may use them only in files named `*-system.ts` (system-sql.ts). */
export type SystemSql = postgres.Sql & { readonly [ofSystem]?: true }
export type SystemTransaction = postgres.TransactionSql
/** Accepts both. */
export type SystemStatements = postgres.ISql

/** The database as parts see it. Parts send statements through a Scope's `sql` or through system-sql.ts. */
export interface Database {
  /** True for the embedded database: one connection, in a folder that only this process uses. */
  embedded: boolean
  /** Returns the number of statements in progress. */
  statementsOpen(): StatementsOpen
  /**
   * Announces that this process is about to close the database. A new process on the same data folder then waits for
   * it.
   */
  announceClose(): void
  close(): Promise<void>
}

/** The database as the platform sees it. */
export interface OpenDatabase extends Database {
  /** Handwritten statements. They join an ambient transaction (ambient.ts). */
  sql: SystemSql
  /** Statements built with Drizzle. */
  db: PostgresJsDatabase
}

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_SECONDS = 10
const STATEMENT_TIMEOUT_MS = 30_000
/** An arbitrary number, the same in every process: the holder of this advisory lock migrates. */
const MIGRATION_LOCK = 7_265_539
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/**
 * Opens the database and migrates its schema: PostgreSQL at `databaseUrl`, or the embedded database in `dataDir` if
 * that is null. Concurrently starting processes migrate one at a time.
 */
export async function connectDatabase(options: {
  databaseUrl: string | null
  dataDir: string
  /** An embedded database that the caller has already begun to start. */
  starting?: Promise<EmbeddedDatabase> | undefined
  /** Observes each statement. */
  watch?: StatementWatch | null
  /** Maximum connections to PostgreSQL; 10 by default. */
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

import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { ambientSql } from './ambient.ts'
import { drizzle, migrate, type PostgresJsDatabase } from './drizzle.ts'
import { type EmbeddedDatabase, startEmbedded } from './embedded.ts'
import { type StatementsOpen, type StatementWatch, watchStatements } from './watched.ts'

declare const ofSystem: unique symbol

/** Statements over all tenants. Parts open them in files named `*-system.ts` only (system-sql.ts). */
export type SystemSql = postgres.Sql & { readonly [ofSystem]?: true }
export type SystemTransaction = postgres.TransactionSql
/** Takes both. */
export type SystemStatements = postgres.ISql

/** The database as parts hold it: statements go through a Scope's `sql`, or through system-sql.ts. */
export interface Database {
  /** True: one connection, in a folder that belongs to this process alone. */
  embedded: boolean
  /** The statements that have begun and not ended. */
  statementsOpen(): StatementsOpen
  /** Says that this process is about to close the database: a new one on the same data folder waits for that. */
  announceClose(): void
  close(): Promise<void>
}

/** The same for the platform. */
export interface OpenDatabase extends Database {
  /** Statements written by hand. Inside an ambient transaction (ambient.ts) they join it. */
  sql: SystemSql
  /** Statements built with Drizzle. */
  db: PostgresJsDatabase
}

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_SECONDS = 10
const STATEMENT_TIMEOUT_MS = 30_000
/** Any number, the same in every process: who holds it migrates. */
const MIGRATION_LOCK = 7_265_539
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/**
 * Opens the database: PostgreSQL at `databaseUrl`, or the embedded one in `dataDir` where that is null, and brings
 * its schema up to date. Processes that start together wait for each other.
 */
export async function connectDatabase(options: {
  databaseUrl: string | null
  dataDir: string
  /** The embedded one, where somebody has begun to start it already. */
  starting?: Promise<EmbeddedDatabase> | undefined
  /** Who is told of each statement; nobody without it. */
  watch?: StatementWatch | null
  /** Connections to PostgreSQL; default 10. */
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

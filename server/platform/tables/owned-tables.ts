import type { PlainErrorCode } from '#errors'
import type { ResourceKind } from '../access/scope.ts'

/**
 * How a table with rows of organizations is audited, exported and erased. Each part and platform room declares its own
 * tables in `tables.ts`; server/tables.ts composes them. tests/house/tables.test.ts fails for an undeclared table.
 */
export interface OwnedTable {
  /** Its records lead a request to their organization. */
  resource?: { kind: ResourceKind; notFound: PlainErrorCode; mayBePublic?: true }
  /** Its changes are recorded automatically, by entries that the code writes, or not. */
  audit: AuditedTable | { entries: `${string}.${string}` } | Not
  /** The export file with its rows, or the table whose file includes them. */
  export: ExportedTable | { within: string } | Not
  /** Its rows are deleted with their organization by a foreign key; large tables are first deleted in batches. */
  erasure: 'cascade' | { inPiecesBy: string } | Not
}

/** Tables by name. */
export type OwnedTables = Readonly<Record<string, OwnedTable>>

/** The reason why not. */
interface Not {
  not: string
}

/** A table whose every change by way of a Scope is recorded: what a record is called, and what of it is secret. */
export interface AuditedTable {
  type: string
  secrets: readonly string[]
}

/** What one file of an export holds: rows of a table, and what it says of each. It says nothing that is not named. */
export interface ExportedTable {
  /** `{name}.jsonl` */
  name: string
  /** Columns as they are, parted by white space; those that end in `_at` become times of the API. */
  columns: string
  /** Further values, in SQL, of a row `t`. */
  computed?: Record<string, string>
  /** What orders the rows and never changes, with types. Default: the id. */
  key?: readonly (readonly [column: string, type: string])[]
  /** The table whose rows these belong to, and the column that says so, where they have no order of their own. */
  within?: { table: string; column: string }
  where?: string
  /** So many rows are in memory at once. Default: ROWS_DEFAULT. */
  rowsMax?: number
  /** In the export of a person too: rows with a user_id. */
  isPersonal?: true
}

export const ROWS_DEFAULT = 500
/** Rows that hold a text each. */
export const ROWS_WITH_TEXT = 100
/** Rows that may hold megabytes each. */
export const ROWS_LARGE = 2

export const TIMES = 'created_at updated_at'
export const OWNER = 'id organization_id user_id'
export const MAKER = 'id organization_id created_by'

export const isAudited = (table: OwnedTable | undefined): table is OwnedTable & { audit: AuditedTable } =>
  table !== undefined && 'secrets' in table.audit

export const isExported = (table: OwnedTable): table is OwnedTable & { export: ExportedTable } =>
  'columns' in table.export

import type { PlainErrorCode } from '#errors'
import type { ResourceKind } from '../access/scope.ts'

/**
 * What the owner of a table with rows of organizations says of it. Each part, and each room here, says so of its own
 * tables in `tables.ts`; server/tables.ts puts them together, and tests/house/tables.test.ts holds that no such table is
 * in none.
 */
export interface OwnedTable {
  /** Its records lead a request to their organization. */
  resource?: { kind: ResourceKind; notFound: PlainErrorCode; mayBePublic?: true }
  /** What the audit says when its rows change: by itself, or through entries that name them. */
  audit: AuditedTable | { entries: `${string}.${string}` } | Not
  /** The file of an export that holds its rows, or the table whose file does. */
  export: ExportedTable | { within: string } | Not
  /** How its rows go with their organization: by a foreign key; before that in pieces, since there may be many. */
  erasure: 'cascade' | { inPiecesBy: string } | Not
}

/** Tables by name. */
export type OwnedTables = Readonly<Record<string, OwnedTable>>

/** Why something is not done. */
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
